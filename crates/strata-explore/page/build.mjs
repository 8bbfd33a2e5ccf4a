// Builds ../bundle: the script, the styles, the script's hash for the page's Content-Security-Policy, and the licences of all that is
// in the script. The same sources and lock file give the same bytes.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const bundle = join(here, "..", "bundle");

/** The hash that the test of the crate computes, too: FNV-1a of names and contents, in the order of names. */
function sourcesHash() {
  const files = ["build.mjs", "package-lock.json", "package.json", "tsconfig.json", ...readdirSync(join(here, "src")).map((name) => `src/${name}`)].sort();
  let hash = 0xcbf29ce484222325n;
  for (const file of files) {
    for (const byte of Buffer.concat([Buffer.from(`${file}\n`), readFileSync(join(here, file))])) {
      hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    }
  }
  return hash.toString(16).padStart(16, "0");
}

const options = { bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none", target: ["es2022"], absWorkingDir: here, metafile: true };
const built = await esbuild.build({ ...options, entryPoints: ["src/main.ts"], format: "iife" });
const styles = await esbuild.build({ ...options, entryPoints: ["src/page.css"] });

// It stands in an element of HTML, which these would end or hide.
const script = built.outputFiles[0].text.trimEnd().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const text = `/* sources ${sourcesHash()} */${script}`;
const packages = new Set();
for (const input of Object.keys(built.metafile.inputs)) {
  const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (found) packages.add(found[1]);
}
const licences = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no text of a licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()}\n`;
});

mkdirSync(bundle, { recursive: true });
writeFileSync(join(bundle, "page.js"), text);
writeFileSync(join(bundle, "page.css"), styles.outputFiles[0].text.trim());
writeFileSync(join(bundle, "page.js.sha256"), `${createHash("sha256").update(text).digest("base64")}\n`);
writeFileSync(join(bundle, "licences.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
console.log(`${text.length} bytes of script, of ${packages.size} packages`);
