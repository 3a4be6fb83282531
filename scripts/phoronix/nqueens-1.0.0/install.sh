#!/bin/sh
# Builds the program from its sources and those of all crates, without the network.
rm -rf nqueens-source
mkdir nqueens-source
tar -xzf nqueens-0.2.0-vendored.tar.gz -C nqueens-source --strip-components=1
cd nqueens-source || exit 1
# The suite changes HOME, in which rustup looks for its toolchains.
home=$(eval "echo ~$(id -un)")
if [ -z "$RUSTUP_HOME" ] && [ -d "$home/.rustup" ]; then export RUSTUP_HOME="$home/.rustup"; fi
cargo build --release --locked --offline --target-dir target
echo $? > ~/install-exit-status

cd ~ || exit 1
cat > nqueens <<'END'
#!/bin/sh
# Prints nothing that could be taken for a result if a count is wrong or the machine was disturbed.
./nqueens-source/target/release/nqueens score "$@" --format json --no-progress > "$LOG_FILE" 2>&1
echo $? > ~/test-exit-status
END
chmod +x nqueens
