// What follows from the data: operands, costs, and the tree in which the graph is folded.

import type { Index, Measured, Nest, Operation } from "./data";
import { mnemonic, share, short, time } from "./units";

/** A node of the tree: an operation, or a group of nodes. */
export interface Group {
  id: number;
  title: string;
  /** What kind of group it is, in words. */
  kind: string;
  parent: Group | null;
  children: (Group | number)[];
  /** Operations in it, at any depth. */
  size: number;
}

export interface Cost {
  flops: number;
  transcendentals: number;
  bytes: number;
  /** Other operations that the same work comes from. */
  others: Set<number>;
}

/** Children of a group beyond which they are folded to ranges. */
const MOST_CHILDREN = 48;
const RANGE = 32;

export type Folding = "scopes" | "nests";

export class Model {
  readonly operands: number[][];
  readonly costs: (Cost | undefined)[];
  readonly totalNs: number;
  readonly totalFlops: number;
  readonly totalBytes: number;
  /** For each operation its part of the time: measured, or that of its nest as estimated. */
  readonly heat: Float64Array;
  readonly measuredOperations: Map<number, Measured>;
  readonly measuredNests: Map<number, Measured>;
  readonly hasScopes: boolean;

  constructor(readonly index: Index) {
    const operations = index.operations;
    this.operands = operations.map(() => []);
    operations.forEach((operation, at) => operation.users.forEach((user) => this.operands[user]?.push(at)));
    this.costs = new Array(operations.length);
    let [flops, bytes] = [0, 0];
    for (const [of, ownFlops, transcendentals, ownBytes] of index.costs) {
      flops += ownFlops + transcendentals;
      bytes += ownBytes;
      for (const operation of of) {
        const cost = (this.costs[operation] ??= { flops: 0, transcendentals: 0, bytes: 0, others: new Set() });
        cost.flops += ownFlops;
        cost.transcendentals += transcendentals;
        cost.bytes += ownBytes;
        for (const other of of) if (other !== operation) cost.others.add(other);
      }
    }
    this.totalFlops = flops;
    this.totalBytes = bytes;
    this.totalNs = index.nests.reduce((sum, nest) => sum + nest.ns, 0);
    this.heat = new Float64Array(operations.length);
    this.measuredOperations = new Map(index.profile?.operations);
    this.measuredNests = new Map(index.profile?.nests);
    if (index.profile) {
      for (const [operation, measured] of this.measuredOperations) this.heat[operation] = measured.share;
    } else if (this.totalNs > 0) {
      for (const nest of index.nests) {
        for (const operation of nest.operations) this.heat[operation] = Math.max(this.heat[operation], nest.ns / this.totalNs);
      }
    }
    this.hasScopes = operations.some((operation) => scopes(operation).length > 0);
  }

  /** Flops of the operations of a nest; `exact` is false where one of them is part of another nest, too, or shares its work. */
  nestCost(nest: Nest): { flops: number; bytes: number; exact: boolean } {
    const inside = new Set(nest.operations);
    const all = { flops: 0, bytes: 0, exact: true };
    for (const operation of nest.operations) {
      const cost = this.costs[operation];
      if (!cost) continue;
      all.flops += cost.flops + cost.transcendentals;
      all.bytes += cost.bytes;
      if (this.index.operations[operation].nests.length > 1 || cost.others.size > 0) all.exact = false;
      for (const other of cost.others) if (!inside.has(other)) all.exact = false;
    }
    return all;
  }

  /** What was measured, in words; none without a profile. */
  measured(found: Measured | undefined): string | null {
    if (!this.index.profile) return null;
    if (!found) return "no sample";
    const error = (100 * found.error).toFixed(1);
    const parts = [`${share(found.share, 1)} ± ${error} of the time`];
    if (found.seconds !== null) parts.push(`${time(found.seconds * 1e9)} in a call`);
    if (found.share_of_limit !== null) parts.push(`${share(found.share_of_limit, 1)} of the machine’s limit for ${found.limit}`);
    if (found.split > 0.3 * found.share) parts.push(`${share(found.split, 1)} may be of others, too`);
    return parts.join(", ");
  }

  operation(at: number): Operation {
    return this.index.operations[at];
  }

  title(at: number): string {
    return mnemonic(this.operation(at).name);
  }

  subtitle(at: number): string {
    const { types, callee } = this.operation(at);
    if (callee) return `@${callee}`;
    return types.length ? short(types[0]) + (types.length > 1 ? ", …" : "") : "";
  }

  /** The tree of all operations that are shown. */
  tree(folding: Folding, withConstants: boolean): Group {
    let ids = 0;
    const group = (title: string, kind: string, parent: Group | null): Group => ({
      id: ids++,
      title,
      kind,
      parent,
      children: [],
      size: 0,
    });
    const root = group(this.index.program, "program", null);
    const functions = new Map<string, Group>();
    const inner = new Map<Group, Map<string, Group>>();
    const child = (parent: Group, key: string, title: string, kind: string): Group => {
      let known = inner.get(parent);
      if (!known) inner.set(parent, (known = new Map()));
      let found = known.get(key);
      if (!found) {
        known.set(key, (found = group(title, kind, parent)));
        parent.children.push(found);
      }
      return found;
    };
    this.index.operations.forEach((operation, at) => {
      if (operation.constant && !withConstants) return;
      let home = functions.get(operation.function);
      if (!home) {
        home = operation.function === this.index.entry ? root : child(root, `f:${operation.function}`, `@${operation.function}`, "function");
        functions.set(operation.function, home);
      }
      if (folding === "scopes") {
        for (const scope of scopes(operation)) home = child(home, `s:${scope}`, scope, "scope");
      } else if (operation.nests.length) {
        const nest = this.index.nests[operation.nests[0]];
        home = child(home, `n:${operation.nests[0]}`, nest.name, "nest");
      }
      home.children.push(at);
    });
    const finish = (group: Group): void => {
      for (const child of group.children) if (typeof child !== "number") finish(child);
      // A scope in which there is one scope and nothing else says the same in one line.
      if (group.children.length === 1 && group.parent) {
        const [only] = group.children;
        if (typeof only !== "number" && only.kind === group.kind) {
          group.title = `${group.title}/${only.title}`;
          group.children = only.children;
          for (const child of group.children) if (typeof child !== "number") child.parent = group;
        }
      }
      while (group.children.length > MOST_CHILDREN) this.fold(group, () => ids++);
      group.size = group.children.reduce<number>((sum, child) => sum + (typeof child === "number" ? 1 : child.size), 0);
    };
    finish(root);
    return root;
  }

  /** Makes ranges of the children of a group. */
  private fold(group: Group, next: () => number): void {
    const ranges: Group[] = [];
    for (let from = 0; from < group.children.length; from += RANGE) {
      const children = group.children.slice(from, from + RANGE);
      const [first, last] = [firstOf(children[0]), lastOf(children[children.length - 1])];
      const range: Group = { id: next(), title: `operations ${first}–${last}`, kind: "range", parent: group, children, size: 0 };
      for (const child of children) if (typeof child !== "number") child.parent = range;
      range.size = children.reduce<number>((sum, child) => sum + (typeof child === "number" ? 1 : child.size), 0);
      ranges.push(range);
    }
    group.children = ranges;
  }
}

function firstOf(node: Group | number): number {
  return typeof node === "number" ? node : firstOf(node.children[0]);
}

function lastOf(node: Group | number): number {
  return typeof node === "number" ? node : lastOf(node.children[node.children.length - 1]);
}

/** The name scopes in the label of an operation: `jit(f)/layer0/mul` is in `jit(f)` and `layer0`. */
export function scopes(operation: Operation): string[] {
  if (!operation.label) return [];
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  const label = operation.label;
  for (let at = 0; at < label.length; at++) {
    if (label[at] === "(") depth += 1;
    else if (label[at] === ")") depth -= 1;
    else if (label[at] === "/" && depth <= 0) {
      parts.push(label.slice(from, at));
      from = at + 1;
    }
  }
  return parts.filter((part) => part !== "");
}
