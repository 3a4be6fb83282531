# An image with the program and its licenses alone:
#
#   docker build --tag nqueens .
#   docker run --rm nqueens count 16
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" nqueens count 20 --ledger /data/20.jsonl

FROM rust:1-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cp "$(bash scripts/release/build.sh --program)" /nqueens

FROM scratch
LABEL org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /nqueens /usr/local/bin/nqueens
COPY python/LICENSES /usr/share/doc/nqueens/
ENV PATH=/usr/local/bin
USER 65534:65534
ENTRYPOINT ["nqueens"]
CMD ["help"]
