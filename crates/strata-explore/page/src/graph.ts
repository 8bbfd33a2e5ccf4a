// The graph of operations: groups that are open are drawn as frames, others as one node.

import { Graph, layout } from "@dagrejs/dagre";
import { h, printable, replace, s } from "./dom";
import type { Folding, Group, Model } from "./model";
import type { State } from "./state";
import { count, share, time } from "./units";

/** Nodes up to which groups are opened at the start, and beyond which others are folded when one is opened. */
const OPEN_AT_START = 60;
const MOST_VISIBLE = 160;
/** The height of a frame's title. */
const TITLE = 13;
/** A share of the time from which a node says it. */
const LEAST_SHARE = 0.005;

type Node = { key: string; group?: Group; operation?: number; x: number; y: number; width: number; height: number };

/** Takes the group out with most operations that is not a function of its own. */
function largest(queue: (Group | number)[]): Group | undefined {
  let found: Group | undefined;
  for (const one of queue) if (typeof one !== "number" && one.kind !== "function" && one.size > (found?.size ?? 0)) found = one;
  if (found) queue.splice(queue.indexOf(found), 1);
  return found;
}

/** A text of at most that many letters. */
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

export class GraphView {
  readonly element: HTMLElement;
  private readonly svg: SVGElement;
  private readonly content: SVGElement;
  private readonly told: HTMLElement;
  private folding: Folding;
  private constants = false;
  private root!: Group;
  /** The group that each operation is a direct child of. */
  private home!: (Group | undefined)[];
  /** Open groups, the one opened last at the end. */
  private open = new Set<Group>();
  private nodes = new Map<string, Node>();
  private edges: [string, string][] = [];
  private focus = "";
  /** The selection that the cursor went to. */
  private followed = "";
  private box = { x: 0, y: 0, width: 100, height: 100 };
  private full = this.box;
  private isDrawn = false;

  constructor(
    private readonly model: Model,
    private readonly state: State,
  ) {
    this.folding = model.hasScopes ? "scopes" : "nests";
    this.content = s("g");
    this.svg = s(
      "svg",
      { class: "graph", role: "application", tabindex: 0, "aria-label": "Graph of operations. Arrow keys move, Enter opens or selects, plus and minus zoom." },
      s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, s("path", { d: "M0 0L8 4L0 8z", class: "arrow" }))),
      this.content,
    );
    this.told = h("p", { class: "note", role: "status" });
    const folding = h(
      "select",
      { "aria-label": "Fold by", onchange: () => {} },
      h("option", { value: "scopes", selected: this.folding === "scopes" }, "name scopes"),
      h("option", { value: "nests", selected: this.folding === "nests" }, "nests"),
    );
    folding.addEventListener("change", () => {
      this.folding = folding.value as Folding;
      this.build();
    });
    const constants = h("input", { type: "checkbox" });
    constants.addEventListener("change", () => {
      this.constants = constants.checked;
      this.build();
    });
    this.element = h(
      "div",
      { class: "graph-view" },
      h(
        "div",
        { class: "tools" },
        h("label", {}, "Fold by ", folding),
        h("label", {}, constants, " constants"),
        h("button", { type: "button", click: () => this.foldAll() }, "Fold all"),
        h("button", { type: "button", click: () => this.zoom(1 / 1.3), "aria-label": "Zoom in" }, "+"),
        h("button", { type: "button", click: () => this.zoom(1.3), "aria-label": "Zoom out" }, "−"),
        h("button", { type: "button", click: () => this.fit() }, "Fit"),
        this.told,
      ),
      this.svg,
    );
    this.svg.addEventListener("keydown", (event) => this.key(event as KeyboardEvent));
    this.svg.addEventListener("wheel", (event) => this.wheel(event as WheelEvent), { passive: false });
    this.drag();
    this.build(false);
  }

  /** Draws when it is first shown: layout needs time. */
  shown(): void {
    if (!this.isDrawn) {
      this.isDrawn = true;
      this.reveal();
      this.draw();
      this.fit();
    }
    this.follow();
    this.mark();
  }

  /** Opens what the selection is in, and moves there. */
  selected(): void {
    if (!this.isDrawn) return;
    if (this.reveal()) this.draw();
    this.follow();
    this.mark();
    const key = this.selectedKey();
    if (key) this.moveTo(key);
  }

  /** The cursor goes to what was selected elsewhere, once: arrows move it on from there. */
  private follow(): void {
    const { selection } = this.state;
    const now = selection ? `${selection.kind} ${selection.at}` : "";
    const key = this.selectedKey();
    if (now !== this.followed && key && this.nodes.has(key)) this.setFocus(key);
    this.followed = now;
  }

  private selectedKey(): string | null {
    const { selection } = this.state;
    if (!selection) return null;
    if (selection.kind === "operation") return this.keyOf(selection.at);
    const group = this.find((one) => one.kind === "nest" && one.title === this.model.index.nests[selection.at].name);
    if (group && this.nodes.has(`g${group.id}`)) return `g${group.id}`;
    const first = this.model.index.nests[selection.at].operations[0];
    return first === undefined ? null : this.keyOf(first);
  }

  private find(is: (group: Group) => boolean): Group | undefined {
    const open: Group[] = [this.root];
    for (let group = open.pop(); group; group = open.pop()) {
      if (is(group)) return group;
      for (const child of group.children) if (typeof child !== "number") open.push(child);
    }
    return undefined;
  }

  private build(draws = true): void {
    this.root = this.model.tree(this.folding, this.constants);
    this.home = new Array(this.model.index.operations.length);
    const visit = (group: Group): void => {
      for (const child of group.children) {
        if (typeof child === "number") this.home[child] = group;
        else visit(child);
      }
    };
    visit(this.root);
    this.open = new Set([this.root]);
    // The outermost groups of the entry first, and of these the largest, as long as there is room.
    let visible = this.root.children.length;
    const queue = [...this.root.children];
    for (let group = largest(queue); group; group = largest(queue)) {
      if (visible - 1 + group.children.length > OPEN_AT_START) continue;
      visible += group.children.length - 1;
      this.open.add(group);
      queue.push(...group.children);
    }
    if (draws) {
      this.reveal();
      this.draw();
      this.fit();
      this.mark();
    }
  }

  private foldAll(): void {
    this.open = new Set([this.root]);
    this.draw();
    this.fit();
    this.mark();
  }

  private isOpen(group: Group): boolean {
    return this.open.has(group);
  }

  /** Opens the groups around the selection; whether any was closed. */
  private reveal(): boolean {
    const { selection } = this.state;
    if (selection?.kind !== "operation") return false;
    let changed = false;
    const around: Group[] = [];
    for (let group = this.home[selection.at] ?? null; group; group = group.parent) around.unshift(group);
    for (const group of around) {
      if (!this.isOpen(group)) {
        this.open.add(group);
        changed = true;
      }
    }
    if (changed) this.shrink(around);
    return changed;
  }

  private visible(): number {
    let sum = 0;
    for (const group of this.open) sum += group.children.filter((child) => typeof child === "number" || !this.open.has(child)).length;
    return sum;
  }

  /** Folds what was opened longest ago, except `kept`, until there are few enough nodes. */
  private shrink(kept: Group[]): void {
    while (this.visible() > MOST_VISIBLE) {
      const oldest = [...this.open].find((group) => group !== this.root && !kept.includes(group));
      if (!oldest) return;
      this.close(oldest);
    }
  }

  private close(group: Group): void {
    const isInside = (inner: Group): boolean => {
      for (let around: Group | null = inner; around; around = around.parent) if (around === group) return true;
      return false;
    };
    this.open = new Set([...this.open].filter((one) => !isInside(one)));
  }

  private toggle(group: Group): void {
    if (this.isOpen(group)) {
      if (group !== this.root) this.close(group);
    } else {
      this.open.add(group);
      const kept: Group[] = [];
      for (let around: Group | null = group; around; around = around.parent) kept.push(around);
      this.shrink(kept);
    }
    this.draw();
    this.mark();
    const key = this.nodes.has(`g${group.id}`) ? `g${group.id}` : this.keyOfFirst(group);
    if (key) {
      this.moveTo(key);
      this.setFocus(key);
    }
  }

  private keyOfFirst(group: Group): string | null {
    const [first] = group.children;
    if (first === undefined) return null;
    return typeof first === "number" ? `o${first}` : this.nodes.has(`g${first.id}`) ? `g${first.id}` : this.keyOfFirst(first);
  }

  /** The visible node that an operation is in. */
  private keyOf(operation: number): string | null {
    const home = this.home[operation];
    if (!home) return null;
    let closed: Group | null = null;
    for (let group: Group | null = home; group; group = group.parent) if (!this.isOpen(group)) closed = group;
    return closed ? `g${closed.id}` : `o${operation}`;
  }

  private draw(): void {
    this.nodes.clear();
    const { open } = this;
    const graph = new Graph({ compound: true, directed: true });
    graph.setGraph({ rankdir: "TB", nodesep: 14, ranksep: 30, marginx: 12, marginy: 12 + TITLE * (this.depth(this.root) - 1) });
    graph.setDefaultEdgeLabel(() => ({}));
    const width = (text: string): number => Math.min(260, 20 + 7.1 * text.length);
    const add = (node: Group | number, parent: Group): void => {
      if (typeof node !== "number" && open.has(node)) {
        if (node !== this.root) {
          graph.setNode(`c${node.id}`, { label: node.title });
          if (parent !== node && parent !== this.root) graph.setParent(`c${node.id}`, `c${parent.id}`);
        }
        for (const child of node.children) add(child, node);
        return;
      }
      const key = typeof node === "number" ? `o${node}` : `g${node.id}`;
      const [first, second] = this.texts(node);
      const size = { width: Math.max(width(first), width(second)), height: 38 };
      graph.setNode(key, size);
      if (parent !== this.root) graph.setParent(key, `c${parent.id}`);
      this.nodes.set(key, { key, x: 0, y: 0, ...size, ...(typeof node === "number" ? { operation: node } : { group: node }) });
    };
    add(this.root, this.root);
    const seen = new Set<string>();
    this.edges = [];
    const { operations, entry } = this.model.index;
    const link = (from: string | null, to: string | null): void => {
      if (!from || !to || from === to || seen.has(`${from} ${to}`)) return;
      seen.add(`${from} ${to}`);
      this.edges.push([from, to]);
      graph.setEdge(from, to);
    };
    operations.forEach((operation, at) => {
      const from = this.keyOf(at);
      if (!from) return;
      for (const user of operation.users) link(from, this.keyOf(user));
      if (operation.callee && operation.callee !== entry) {
        const callee = this.root.children.find((child) => typeof child !== "number" && child.kind === "function" && child.title === `@${operation.callee}`);
        if (callee !== undefined && typeof callee !== "number" && this.nodes.has(`g${callee.id}`)) link(from, `g${callee.id}`);
      }
    });
    layout(graph);
    const frames: SVGElement[] = [];
    const drawn: SVGElement[] = [];
    let [right, bottom] = [10, 10];
    for (const key of graph.nodes()) {
      const place = graph.node(key) as { x: number; y: number; width: number; height: number };
      right = Math.max(right, place.x + place.width / 2);
      bottom = Math.max(bottom, place.y + place.height / 2);
      const node = this.nodes.get(key);
      if (node) {
        Object.assign(node, { x: place.x, y: place.y });
        drawn.push(this.node(node));
      } else {
        const group = [...open].find((one) => `c${one.id}` === key);
        if (group) frames.push(this.frame(group, place));
      }
    }
    const lines = this.edges.map(([from, to]) => {
      const points = (graph.edge(from, to) as { points?: { x: number; y: number }[] }).points ?? [];
      return s("path", { class: "edge", "data-from": from, "data-to": to, d: points.map((at, number) => `${number ? "L" : "M"}${at.x.toFixed(1)} ${at.y.toFixed(1)}`).join(""), "marker-end": "url(#arrow)" });
    });
    replace(this.content, ...frames, ...lines, ...drawn);
    this.full = { x: 0, y: 0, width: right + 12, height: bottom + 12 };
    const hidden = operations.length - this.root.size;
    this.told.textContent = `${count(this.nodes.size, "node")} for ${count(this.root.size, "operation")}${hidden ? `; ${count(hidden, "constant")} hidden` : ""}`;
    if (!this.nodes.has(this.focus)) this.focus = this.nodes.keys().next().value ?? "";
  }

  private texts(node: Group | number): [string, string] {
    // With a profile what takes time says so.
    const heat = this.model.index.profile ? this.heatOf(node) : 0;
    const part = heat >= LEAST_SHARE ? `${share(heat, 1)}, ` : "";
    if (typeof node === "number") return [this.model.title(node), part + this.model.subtitle(node)];
    return [node.title, `${part}${node.kind}, ${count(node.size, "operation")}`];
  }

  private heatOf(node: Group | number): number {
    if (typeof node === "number") return this.model.heat[node];
    // Operations of a nest have the nest's estimate each.
    const join = this.model.index.profile ? (sum: number, one: number): number => sum + one : Math.max;
    return node.children.reduce<number>((all, child) => join(all, this.heatOf(child)), 0);
  }

  private node(node: Node): SVGElement {
    const of = node.group ?? node.operation!;
    const [first, second] = this.texts(of);
    const heat = this.heatOf(of);
    const most = Math.floor((node.width - 14) / 6.9);
    return s(
      "g",
      {
        class: node.group ? "node group" : "node operation",
        "data-key": node.key,
        "data-op": node.operation,
        transform: `translate(${(node.x - node.width / 2).toFixed(1)} ${(node.y - node.height / 2).toFixed(1)})`,
        click: () => this.activate(node),
      },
      s("title", {}, this.describe(node)),
      node.group && s("rect", { class: "under", x: 3, y: 3, width: node.width, height: node.height, rx: 6 }),
      s("rect", { class: "body", width: node.width, height: node.height, rx: 6 }),
      s("rect", { class: "heat", x: 0, y: 0, width: 5, height: node.height, rx: 2, "fill-opacity": Math.min(1, Math.sqrt(heat)).toFixed(3) }),
      s("text", { x: 11, y: 16, class: "first" }, cut(first, most)),
      s("text", { x: 11, y: 31, class: "second" }, cut(second, most)),
    );
  }

  private describe(node: Node): string {
    if (node.operation === undefined) return `${this.texts(node.group!).join(", ")}; Enter opens it`;
    const operation = this.model.operation(node.operation);
    const heat = this.model.heat[node.operation];
    const measured = this.model.measured(this.model.measuredOperations.get(node.operation));
    const estimated = heat > 0 ? `, its nest takes ${time(heat * this.model.totalNs)}, ${share(heat, 1)}` : "";
    const cost = measured ? `, ${measured}` : estimated;
    return `${operation.name} ${operation.types.join(", ")}${operation.label ? `, ${operation.label}` : ""}${cost}`;
  }

  /** Levels of open groups, from this one down. */
  private depth(group: Group): number {
    if (!this.isOpen(group)) return 0;
    return 1 + group.children.reduce<number>((most, child) => Math.max(most, typeof child === "number" ? 0 : this.depth(child)), 0);
  }

  private frame(group: Group, place: { x: number; y: number; width: number; height: number }): SVGElement {
    // The layout leaves no room for titles.
    const above = TITLE * this.depth(group) - 4;
    const [x, y, height] = [place.x - place.width / 2, place.y - place.height / 2 - above, place.height + above];
    return s(
      "g",
      { class: "frame" },
      s("rect", { x, y, width: place.width, height, rx: 8 }),
      s("text", { x: x + 8, y: y + 13, click: () => this.toggle(group) }, s("title", {}, `Fold ${group.title}`), cut(`− ${group.title}`, Math.floor((place.width - 16) / 6.9))),
    );
  }

  private activate(node: Node): void {
    this.setFocus(node.key);
    if (node.group) this.toggle(node.group);
    else this.state.select({ kind: "operation", at: node.operation! });
  }

  private setFocus(key: string): void {
    this.focus = key;
    this.mark();
    const node = this.nodes.get(key);
    if (node) this.svg.setAttribute("aria-description", printable(this.describe(node)));
  }

  private mark(): void {
    const selected = this.selectedKey();
    const nest = this.state.selection?.kind === "nest" ? new Set(this.model.index.nests[this.state.selection.at].operations) : null;
    for (const element of this.content.querySelectorAll<SVGElement>(".node")) {
      const { key, op } = element.dataset;
      element.classList.toggle("selected", key === selected || (nest !== null && op !== undefined && nest.has(Number(op))));
      element.classList.toggle("focused", key === this.focus);
    }
    for (const element of this.content.querySelectorAll<SVGElement>(".edge")) {
      const { from, to } = element.dataset;
      element.classList.toggle("near", selected !== null && (from === selected || to === selected));
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = this.nodes.get(this.focus);
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (step) {
      const next = node && this.nearest(node, step[0], step[1]);
      if (next) {
        this.setFocus(next.key);
        this.moveTo(next.key);
      }
    } else if (event.key === "Enter" || event.key === " ") {
      if (node) this.activate(node);
    } else if (event.key === "Backspace") {
      const around = node && (node.group?.parent ?? this.home[node.operation!]);
      if (around && around !== this.root) this.toggle(around);
    } else if (event.key === "+" || event.key === "=") this.zoom(1 / 1.3);
    else if (event.key === "-") this.zoom(1.3);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Along an edge, up or down, where there is one; else the nearest node in that direction. */
  private nearest(node: Node, dx: number, dy: number): Node | undefined {
    if (dy) {
      const along = this.edges.filter(([from, to]) => (dy > 0 ? from : to) === node.key).map(([from, to]) => this.nodes.get(dy > 0 ? to : from)!);
      const close = along.sort((a, b) => Math.abs(a.x - node.x) - Math.abs(b.x - node.x))[0];
      if (close) return close;
    }
    let [best, least]: [Node | undefined, number] = [undefined, Infinity];
    for (const other of this.nodes.values()) {
      const ahead = (other.x - node.x) * dx + (other.y - node.y) * dy;
      if (other === node || ahead <= 1) continue;
      const aside = Math.abs((other.x - node.x) * dy) + Math.abs((other.y - node.y) * dx);
      const distance = ahead + 3 * aside;
      if (distance < least) [best, least] = [other, distance];
    }
    return best;
  }

  private size(): { width: number; height: number } {
    const { width, height } = this.svg.getBoundingClientRect();
    return { width: width || 600, height: height || 400 };
  }

  /** Shows all of it, but not larger than life and not so small that nothing can be read; then from the first node on. */
  private fit(): void {
    const { width, height } = this.size();
    const scale = Math.min(1, Math.max(0.7, Math.min(width / this.full.width, height / this.full.height)));
    this.box = { width: width / scale, height: height / scale, x: 0, y: 0 };
    // Of a graph that is wider than the window the part with its first node: the middle may be empty.
    const isWide = this.full.width > this.box.width;
    const first = [...this.nodes.values()].reduce((one: Node | null, other) => (one && one.y <= other.y ? one : other), null);
    this.box.x = (isWide && first ? first.x : this.full.width / 2) - this.box.width / 2;
    if (this.full.height < this.box.height) this.box.y = (this.full.height - this.box.height) / 2;
    this.apply();
    const key = this.selectedKey();
    if (key) this.moveTo(key);
  }

  private apply(): void {
    const { x, y, width, height } = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  private zoom(factor: number, at?: { x: number; y: number }): void {
    const { width } = this.size();
    const wanted = Math.min(8, Math.max(0.2, (this.box.width * factor) / width)) * width;
    const by = wanted / this.box.width;
    const { x, y } = at ?? { x: this.box.x + this.box.width / 2, y: this.box.y + this.box.height / 2 };
    this.box = { x: x - (x - this.box.x) * by, y: y - (y - this.box.y) * by, width: this.box.width * by, height: this.box.height * by };
    this.apply();
  }

  /** Moves a node into view, to the middle if it is far outside. */
  private moveTo(key: string): void {
    const node = this.nodes.get(key);
    if (!node) return;
    const { width, height } = this.size();
    // The window may have changed.
    const scale = this.box.width / width;
    this.box.height = height * scale;
    const margin = 40 * scale;
    const isInside =
      node.x - node.width / 2 > this.box.x + margin / 2 &&
      node.x + node.width / 2 < this.box.x + this.box.width - margin / 2 &&
      node.y - margin > this.box.y &&
      node.y + margin < this.box.y + this.box.height;
    if (!isInside) {
      this.box.x = node.x - this.box.width / 2;
      this.box.y = node.y - this.box.height / 2;
    }
    this.apply();
  }

  private at(event: MouseEvent): { x: number; y: number } {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return {
      x: this.box.x + ((event.clientX - left) / width) * this.box.width,
      y: this.box.y + ((event.clientY - top) / height) * this.box.height,
    };
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const scale = this.box.width / this.size().width;
    if (event.ctrlKey || event.metaKey) {
      this.zoom(Math.exp(event.deltaY / 300), this.at(event));
    } else {
      this.box.x += (event.shiftKey ? event.deltaY : event.deltaX) * scale;
      this.box.y += (event.shiftKey ? 0 : event.deltaY) * scale;
      this.apply();
    }
  }

  private drag(): void {
    let from: { x: number; y: number; box: { x: number; y: number } } | null = null;
    let hasMoved = false;
    this.svg.addEventListener("pointerdown", (event) => {
      const pressed = event as PointerEvent;
      hasMoved = false;
      if (pressed.button === 0) from = { x: pressed.clientX, y: pressed.clientY, box: { x: this.box.x, y: this.box.y } };
    });
    window.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      hasMoved ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > 4;
      const scale = this.box.width / this.size().width;
      this.box.x = from.box.x - (event.clientX - from.x) * scale;
      this.box.y = from.box.y - (event.clientY - from.y) * scale;
      this.apply();
    });
    window.addEventListener("pointerup", () => (from = null));
    // What ends a drag is not a click on the node below.
    this.svg.addEventListener("click", (event) => hasMoved && event.stopPropagation(), { capture: true });
  }
}
