// Numbers for readers.

export function scaled(value: number, unit: string): string {
  const steps = ["", "k", "M", "G", "T", "P"];
  let at = 0;
  while (Math.abs(value) >= 1000 && at < steps.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${digits(value)} ${steps[at]}${unit}`.trim();
}

function digits(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

export function bytes(value: number): string {
  const steps = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 1024 && at < steps.length - 1) {
    value /= 1024;
    at += 1;
  }
  return value === 1 && at === 0 ? "1 byte" : `${digits(value)} ${steps[at]}`;
}

export function time(ns: number): string {
  if (ns < 1000) return `${digits(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

export function share(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "–";
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** `tensor<2x3xf32>` as `2x3xf32`. */
export function short(type: string): string {
  const inside = /^tensor<([^<>]*)>$/.exec(type);
  return inside ? inside[1] : type;
}

/** `stablehlo.add` as `add`. */
export function mnemonic(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}
