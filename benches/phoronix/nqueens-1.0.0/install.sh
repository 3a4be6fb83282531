#!/bin/sh
# Builds the program from its sources and those of all crates, without the network.
rm -rf nqueens-source
mkdir nqueens-source
tar -xzf nqueens-*-vendored.tar.gz -C nqueens-source --strip-components=1
cd nqueens-source || exit 1
# The suite changes HOME, in which rustup looks for its toolchains.
home=$(eval "echo ~$(id -un)")
if [ -z "$RUSTUP_HOME" ] && [ -d "$home/.rustup" ]; then export RUSTUP_HOME="$home/.rustup"; fi
cargo build --release --locked --offline --target-dir target
echo $? > ~/install-exit-status

cd ~ || exit 1
cat > nqueens <<'END'
#!/bin/sh
# Gives no result if a count is wrong or the score is not quotable, but the reason.
./nqueens-source/target/release/nqueens bench --strict --format csv > score.csv 2> messages
status=$?
if [ $status -eq 0 ]; then
    tail -n 1 score.csv | awk -F , '{ printf "All threads: %.2f\nOne thread: %.2f\n", $1 / 1e6, $3 / 1e6 }' > "$LOG_FILE"
fi
cat messages >> "$LOG_FILE"
cat messages >&2
echo $status > ~/test-exit-status
END
chmod +x nqueens
