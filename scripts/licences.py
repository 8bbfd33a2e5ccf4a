#!/usr/bin/env python3
"""What is linked into the `strata` command: an SBOM (CycloneDX 1.5) and the texts of all licences.

    scripts/licences.py --sbom strata.cdx.json --texts THIRD-PARTY.txt

Crates are those that `cargo tree` resolves for the command, without build scripts' and tests' own; LLVM and MLIR come from the pinned
prefix. The same lock file and LLVM give the same bytes.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)
PACKAGES = ["strata-cli", "strata-runtime"]


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates(target):
    """Name and version of every crate that is linked in."""
    packages = [word for name in PACKAGES for word in ("--package", name)]
    lines = output("cargo", "tree", "--locked", *packages, "--edges", "normal,no-proc-macro", "--prefix", "none",
                   "--no-dedupe", "--target", target, "--format", "{p}").splitlines()
    return sorted({tuple(line.split()[:2]) for line in lines if line.strip()})


def pinned(name):
    config = tomllib.loads((ROOT / ".cargo/config.toml").read_text())
    return os.environ.get(name, config["env"][name])


def text_files(folder):
    """Files of a crate that hold licences or notices, by name."""
    found = [path for path in folder.iterdir() if path.is_file() and TEXTS.match(path.name)]
    for inner in ("LICENSES", "LICENSE"):
        if (folder / inner).is_dir():
            found += [path for path in (folder / inner).iterdir() if path.is_file()]
    return sorted(found)


def bundled(folder):
    """Licences of C sources that a crate brings along."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and TEXTS.match(path.name)
                  and path.parent != folder and path.suffix not in (".rs", ".c", ".h"))


class Component:
    def __init__(self, kind, name, version, licence, purl, files, sha256=None):
        self.kind, self.name, self.version, self.licence = kind, name, version.lstrip("v"), licence
        self.purl, self.files, self.sha256 = purl, files, sha256

    def json(self):
        entry = {"type": "library", "bom-ref": self.purl, "name": self.name, "version": self.version, "purl": self.purl,
                 "licenses": [{"expression": self.licence}]}
        if self.sha256:
            entry["hashes"] = [{"alg": "SHA-256", "content": self.sha256}]
        return entry


def manifests(built, target):
    """The manifest of every crate: of those that Cargo's messages name, or of all in the lock file, which fetches the tests' own."""
    if built:
        messages = map(json.loads, built.read_text().splitlines())
        paths = {message["manifest_path"] for message in messages if message["reason"] == "compiler-artifact"}
    else:
        metadata = output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target)
        paths = {package["manifest_path"] for package in json.loads(metadata)["packages"]}
    known = {}
    for path in sorted(paths):
        package = tomllib.loads(pathlib.Path(path).read_text())["package"]
        # Crates of this workspace take the version from it.
        if isinstance(package.get("version"), str):
            known[package["name"], package["version"]] = (pathlib.Path(path), package)
    return known


def components(target, built):
    known = manifests(built, target)
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    sums = {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}
    result = []
    for name, version in crates(target):
        key = (name, version.lstrip("v"))
        # Crates of this workspace have no checksum.
        if sums.get(key) is None:
            continue
        manifest, package = known[key]
        # `/` between licences is the older way to write `OR`.
        licence = re.sub(r"\s*/\s*", " OR ", package.get("license", ""))
        folder = manifest.parent
        files = text_files(folder) + bundled(folder)
        if not licence and not files:
            sys.exit(f"licences: {name} {version} states none")
        # Some have a text and no name for it.
        licence = licence or f"LicenseRef-{name}"
        purl = f"pkg:cargo/{key[0]}@{key[1]}"
        result.append(Component("crate", key[0], key[1], licence, purl, files, sums.get(key)))
    return result + page() + [llvm(), rust()]


def page():
    """The libraries in the page of `strata explore`, whose texts its build collects in one file."""
    file = ROOT / "crates/strata-explore/bundle/licences.txt"
    found = re.findall(r"^(\S+) (\d\S*) \(([^)]+)\)$", file.read_text(), re.MULTILINE)
    if not found:
        sys.exit(f"licences: {file} names none")
    return [Component("library", name, version, licence, f"pkg:npm/{name.replace('@', '%40')}@{version}", [file])
            for name, version, licence in found]


def llvm():
    version, prefix = pinned("STRATA_LLVM_VERSION"), pathlib.Path(pinned("STRATA_LLVM_PREFIX"))
    major = version.split(".")[0]
    places = [f"/usr/share/doc/llvm-{major}-dev/copyright", f"/usr/share/doc/libllvm{major}/copyright",
              prefix / "LICENSE.TXT", prefix / "share/doc/LLVM/LICENSE.TXT"]
    files = [pathlib.Path(place) for place in places if pathlib.Path(place).is_file()][:1]
    if not files:
        sys.exit("licences: LLVM's is in none of " + ", ".join(map(str, places)))
    return Component("library", "llvm", version, "Apache-2.0 WITH LLVM-exception",
                     f"pkg:generic/llvm@{version}", files)


def rust():
    """The standard library, which every Rust program holds."""
    version = output("rustc", "--version").split()[1]
    root = pathlib.Path(output("rustc", "--print", "sysroot").strip()) / "share/doc"
    files = sorted(path for path in root.rglob("*") if path.is_file() and TEXTS.match(path.name)
                   and path.suffix in ("", ".txt") and "licenses" not in path.parts)
    return Component("library", "rust-std", version, "MIT OR Apache-2.0", f"pkg:generic/rust-std@{version}", files)


def sbom(found, version, commit):
    root = {"type": "application", "bom-ref": "strata", "name": "strata", "version": version,
            "licenses": [{"expression": "Apache-2.0"}]}
    if commit:
        root["properties"] = [{"name": "strata:commit", "value": commit}]
    entries = [component.json() for component in found]
    # The number is that of the content, so that the same content gives the same bytes.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([root, entries], sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{number}", "version": 1,
            "metadata": {"component": root}, "components": entries,
            "dependencies": [{"ref": "strata", "dependsOn": [entry["bom-ref"] for entry in entries]}]}


def texts(found):
    """Each text once, after the names of all packages that it is for."""
    users, bare = {}, []
    for component in found:
        name = f"{component.name} {component.version} ({component.licence})"
        if not component.files:
            bare.append(name)
        for file in component.files:
            text = file.read_text(errors="replace").replace("\r\n", "\n").strip()
            users.setdefault(text, {})[name] = None
    pieces = ["The strata command and its run-time library hold the following, under these licences.\n"]
    pieces += [f"{component.name} {component.version}: {component.licence}" for component in found]
    if bare:
        pieces.append("\nThe packages of these hold no text, only the name of their licence; the texts are those below:\n")
        pieces += bare
    for text, names in users.items():
        pieces.append("\n" + "=" * 100 + "\n" + "\n".join(names) + "\n" + "-" * 100 + "\n\n" + text)
    return "\n".join(pieces) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sbom", type=pathlib.Path, required=True)
    parser.add_argument("--texts", type=pathlib.Path, required=True)
    parser.add_argument("--target", default="x86_64-unknown-linux-gnu")
    parser.add_argument("--commit", default="")
    parser.add_argument("--built", type=pathlib.Path, help="what `cargo build --message-format json` wrote for the command")
    arguments = parser.parse_args()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    found = components(arguments.target, arguments.built)
    arguments.sbom.write_text(json.dumps(sbom(found, version, arguments.commit), indent=2) + "\n")
    arguments.texts.write_text(texts(found))
    print(f"licences: {len(found)} components")


if __name__ == "__main__":
    main()
