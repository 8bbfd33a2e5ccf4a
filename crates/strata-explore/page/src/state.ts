// What is selected and shown; the address of the page says so, too, so that it can be linked to.

export interface Selection {
  kind: "operation" | "nest";
  at: number;
}

export type ViewName = "graph" | "nests" | "memory" | "cost" | "about";
export const VIEWS: ViewName[] = ["graph", "nests", "memory", "cost", "about"];

type Listener = () => void;

export class State {
  selection: Selection | null = null;
  view: ViewName = "graph";
  /** What of the address is not there, in words; none once something else is chosen. */
  missing: string[] = [];
  private listeners: Listener[] = [];

  constructor(
    private readonly operations: number,
    private readonly nests: string[],
  ) {
    this.read();
    window.addEventListener("hashchange", () => {
      this.read();
      this.tell();
    });
  }

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.missing = [];
    this.write();
    this.tell();
  }

  show(view: ViewName): void {
    this.view = view;
    this.missing = [];
    this.write();
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }

  /** `#op=12&view=memory`, `#nest=nest0`. */
  private read(): void {
    const words = new URLSearchParams(location.hash.slice(1));
    const [op, nest, view] = [words.get("op"), words.get("nest"), words.get("view")];
    this.selection = null;
    this.missing = [];
    if (op !== null && /^\d+$/.test(op) && Number(op) < this.operations) this.selection = { kind: "operation", at: Number(op) };
    else if (op !== null) this.missing.push(`operation #${op}: ${this.operations ? `its operations are #0 to #${this.operations - 1}` : "it has none"}`);
    const named = nest === null ? -1 : this.nests.indexOf(nest);
    if (named >= 0) this.selection = { kind: "nest", at: named };
    else if (nest !== null) this.missing.push(`nest ${nest}: it has ${this.nests.length || "none"}`);
    const known = VIEWS.find((one) => one === view);
    if (view !== null && !known) this.missing.push(`view ${view}: there are ${VIEWS.join(", ")}`);
    this.view = known ?? "graph";
  }

  private write(): void {
    const words = new URLSearchParams();
    if (this.selection?.kind === "operation") words.set("op", String(this.selection.at));
    if (this.selection?.kind === "nest") words.set("nest", this.nests[this.selection.at]);
    if (this.view !== "graph") words.set("view", this.view);
    // A frame without an address of its own has none to change.
    try {
      history.replaceState(null, "", `#${words}`);
    } catch {}
  }
}
