// The data of the page: JSON, compressed, in elements of their own; texts of stages are read when they are first shown.

export interface Operation {
  name: string;
  types: string[];
  function: string;
  label: string | null;
  /** Function or name, file, line, column; the innermost first. */
  frames: [string | null, string, number, number][];
  users: number[];
  nests: number[];
  fate: string;
  constant: boolean;
  vectors: string[];
  callee: string | null;
  /** The calls of the function that it is in. */
  callers: number[];
}

export interface Nest {
  name: string;
  kernel: string | null;
  copy: number;
  operations: number[];
  loops: [number, boolean][];
  computes: string[];
  scratch: number;
  packed: number;
  schedule: string | null;
  attempts: [string, string | null][];
  vectors: string[];
  ns: number;
}

export interface Subject {
  inputs: number[];
  operations: number[];
  nests: number[];
}

export interface Copy {
  of: Subject;
  bytes: number | null;
  loops_around: number;
  purpose: string;
  because: string;
  blame: Subject;
}

export interface Loop {
  of: Subject;
  tasks: number | null;
  runs: number | null;
  ns: number;
  because: string | null;
}

/** Offset, bytes, first and last point, nests, operations. */
export type Temporary = [number, number, number, number, number[], number[]];

export interface Arena {
  bytes: number;
  peak: number;
  temporaries: Temporary[];
  points: [number, number[], number[]][];
}

export interface StageInfo {
  name: string;
  contents: string;
  lines: number;
  known: number;
}

export interface Tensor {
  type: string;
  name: string | null;
}

/** What was measured of an operation, a nest: shares of the samples, seconds of a call, the share of the machine's limit. */
export interface Measured {
  share: number;
  /** How much of the share is of one of several. */
  split: number;
  /** By how much the share may be wrong. */
  error: number;
  seconds: number | null;
  share_of_limit: number | null;
  limit: "arithmetic" | "memory" | null;
}

/** A profile of the code that the page shows. */
export interface Profile {
  method: string;
  samples: number;
  seconds: number | null;
  threads: number | null;
  /** By position. */
  operations: [number, Measured][];
  nests: [number, Measured][];
  /** Lines of the stage `asm`, from 0, and their shares. */
  assembly: [number, number][];
}

export interface Index {
  format: number;
  compiler: string;
  program: string;
  entry: string;
  target: { triple: string; cpu: string; features: string };
  limits: { flops_per_ns: number; bytes_per_ns: number };
  inputs: Tensor[] | null;
  outputs: Tensor[] | null;
  operations: Operation[];
  nests: Nest[];
  copies: Copy[];
  loops: Loop[];
  /** Operations, flops, transcendentals, bytes of an operation of stage `hlo`. */
  costs: [number[], number, number, number][];
  arena: Arena | null;
  profile?: Profile;
  stages: StageInfo[];
  missing: string[];
}

/** A text, for each line a position in `origins` from 1, or 0; an origin is nests and operations. */
export interface StageText {
  text: string;
  lines: number[];
  origins: [number[], number[]][];
}

export interface Source {
  file: string;
  text: string;
}

async function read<T>(id: string): Promise<T> {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  const digits = atob(element.textContent ?? "");
  const bytes = new Uint8Array(digits.length);
  for (let at = 0; at < digits.length; at++) bytes[at] = digits.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const text = await new Response(stream).text();
  element.remove();
  return JSON.parse(text) as T;
}

const known = new Map<string, Promise<unknown>>();

function once<T>(id: string): Promise<T> {
  let found = known.get(id);
  if (!found) known.set(id, (found = read<T>(id)));
  return found as Promise<T>;
}

export const readIndex = (): Promise<Index> => once("index");
export const readStage = (name: string): Promise<StageText> => once(`stage-${name}`);
export const readSources = (): Promise<Source[]> => once("sources");
export const readLicences = (): Promise<string> => once("licences");
