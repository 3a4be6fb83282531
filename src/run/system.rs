//! What files of the system say: values, and the control groups that limit the CPUs and the memory of this process.

use std::fs;
use std::path::Path;

/// Returns the value of the first line `name: value` or `name=value` of a file.
pub fn value_in_file(file: &str, name: &str) -> Option<String> {
    value_in(&fs::read_to_string(file).ok()?, name)
}

/// Returns the value of the first such line of a text.
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

/// Returns the lowest number that `of` returns for the control groups of this process which `controller` can limit, or
/// `None` if it returns none. It is called with the folder of its own group and of each group above. `root` is the
/// topmost folder of the system.
///
/// In a container some of these groups may not be visible. Only the visible ones are considered.
pub(super) fn lowest<T: PartialOrd>(
    root: &Path,
    controller: &str,
    of: impl Fn(Version, &Path) -> Option<T>,
) -> Option<T> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    // Each line is "number:controllers:path", with commas between controllers. Version 2 has the number 0 and no
    // controllers. The folder of version 1 has the names of all controllers, and may have a link for each.
    let lines = groups.lines().filter_map(|line| {
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
    let lowest = |(version, top, group): (Version, &str, &str)| {
        let top = root.join("sys/fs/cgroup").join(top);
        let group = top.join(group);
        let folders = group.ancestors().take_while(|folder| folder.starts_with(&top));
        folders.filter_map(|folder| of(version, folder)).reduce(lower)
    };
    lines.flatten().filter_map(lowest).reduce(lower)
}

fn lower<T: PartialOrd>(one: T, other: T) -> T {
    if other < one { other } else { one }
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

    #[test]
    fn every_group_above_is_asked_and_none_that_another_controller_has() {
        let asked = |cgroup| {
            let asked = std::cell::RefCell::new(Vec::new());
            let root = root(&[("proc/self/cgroup", cgroup)]);
            let lowest = lowest(root.path(), "cpu", |version, folder| {
                let folder = folder.strip_prefix(root.path().join("sys/fs/cgroup")).unwrap();
                let folder = folder.display().to_string().replace('\\', "/");
                asked.borrow_mut().push((version == Version::Two, folder));
                Some(-(asked.borrow().len() as f64))
            });
            let asked = asked.into_inner();
            assert_eq!(lowest, (!asked.is_empty()).then(|| -(asked.len() as f64)));
            asked.into_iter().map(|(is_two, folder)| format!("{} {folder}", if is_two { 2 } else { 1 })).collect()
        };
        let none: [String; 0] = [];
        let of: fn(&[&str]) -> Vec<String> = |folders| folders.iter().map(ToString::to_string).collect();
        let ask: &dyn Fn(&'static str) -> Vec<String> = &asked;
        assert_eq!(ask("0::/slice/job\n"), of(&["2 slice/job", "2 slice", "2 "]));
        assert_eq!(
            ask("4:memory:/m\n3:cpu,cpuacct:/a/b\n"),
            of(&["1 cpu/a/b", "1 cpu/a", "1 cpu", "1 cpu,cpuacct/a/b", "1 cpu,cpuacct/a", "1 cpu,cpuacct"])
        );
        assert_eq!(ask("nonsense\n::\n5:cpuset:/x\n"), none);
    }
}
