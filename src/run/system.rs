//! Files of the system: values in them, and the control groups that limit the CPUs and the memory of this process.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the value of the first line `name: value` or `name=value` of a text.
pub(super) fn value_in(text: &str, name: &str) -> Option<String> {
    let value = |line: &str| Some(line.strip_prefix(name)?.trim_start().strip_prefix([':', '='])?.trim().to_owned());
    text.lines().find_map(value).filter(|value| !value.is_empty())
}

/// A version of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// Returns the folders of the control groups of this process that `controller` can limit: its own group and each group
/// above. `root` is the topmost folder of the system.
///
/// In a container some of these groups may not be visible, and their folders may not exist.
pub(super) fn groups(root: &Path, controller: &str) -> Vec<(Version, PathBuf)> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    // Each line is "number:controllers:path", with commas between controllers. Version 2 has the number 0 and no
    // controllers. The folder of version 1 is called by its controllers, such as `cpu,cpuacct`, and may have a link for
    // each of them.
    let tops = groups.lines().filter_map(|line| {
        let (number, rest) = line.split_once(':')?;
        let (controllers, group) = rest.split_once(':')?;
        let is_limited = controllers.split(',').any(|name| name == controller);
        let (version, tops) = match (number, controllers) {
            ("0", "") => (Version::Two, vec![""]),
            _ if is_limited => (Version::One, vec![controller, controllers]),
            _ => return None,
        };
        Some(tops.into_iter().map(move |top| (version, top, group.trim_matches('/'))))
    });
    let mut folders = Vec::new();
    for (version, top, group) in tops.flatten() {
        let top = root.join("sys/fs/cgroup").join(top);
        let above = top.join(group);
        let above = above.ancestors().take_while(|folder| folder.starts_with(&top));
        folders.extend(above.map(|folder| (version, folder.to_owned())));
    }
    folders
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Creates a root folder with these files.
    pub(crate) fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }
}
