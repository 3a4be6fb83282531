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
cat > nqueens <<'SCRIPT'
#!/bin/sh
# Gives no result if a count is wrong or the score is not quotable, but the reason.
./nqueens-source/target/release/nqueens bench --strict --format csv > score.csv 2> messages
status=$?
if [ $status -eq 0 ]; then
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        END { printf "All threads: %.2f\nOne thread: %.2f\n", $at["score"] / 1e6, $at["one_thread"] / 1e6 }' score.csv > "$LOG_FILE"
fi
cat messages >> "$LOG_FILE"
cat messages >&2
echo $status > ~/test-exit-status
SCRIPT
chmod +x nqueens
