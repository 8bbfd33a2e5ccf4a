import { CodeView } from "./code";
import { CostView } from "./cost";
import { type Index, readIndex, readLicences, readSources } from "./data";
import { Details } from "./details";
import { h, replace } from "./dom";
import { GraphView } from "./graph";
import { MemoryView } from "./memory";
import { Model } from "./model";
import { NestsView } from "./nests";
import { Search } from "./search";
import { State, VIEWS, type ViewName } from "./state";

interface View {
  element: HTMLElement;
  shown?(): void;
  selected?(): void;
}

const NAMES: Record<ViewName, string> = { graph: "Graph", nests: "Nests", memory: "Memory", cost: "Cost", about: "About" };

const KEYS: [string, string][] = [
  ["/", "search"],
  ["1 … 5", "graph, nests, memory, cost, about"],
  ["arrows", "in the graph: along edges and to neighbours; in the arena: in time, and through what is live"],
  ["Enter", "in the graph: open a group, select an operation; in a text: select what the line comes from"],
  ["Backspace", "in the graph: fold the group around"],
  ["+ − 0", "in the graph: zoom, fit"],
  ["[ ]", "the operation before, after"],
  ["g c d", "to the view, the texts, the details"],
  ["t", "dark or light"],
  ["Escape", "out of a field; nothing selected"],
];

function about(index: Index): HTMLElement {
  const licences = h("pre", { class: "licences" });
  const missing = index.missing.length > 0 && h("p", {}, `Stages without a text here: ${index.missing.join(", ")}.`);
  return h(
    "div",
    { class: "scroll" },
    h("h2", {}, "Keys"),
    h("dl", { class: "keys" }, ...KEYS.flatMap(([key, does]) => [h("dt", {}, ...key.split(" ").map((one) => h("kbd", {}, one))), h("dd", {}, does)])),
    h("h2", {}, "What is known of a line"),
    h(
      "p",
      {},
      "Each operation of the program carries its number through the stages, as its location; in LLVM IR and assembly it is debug information. A line is marked where it carries the number of the selected operation, more faintly where it is of one of its nests. Of nests that equal each other, only the first knows its operations in code that all may share. A line without a number, such as one that LLVM merged from several places, is shown as coming from nothing that is known.",
    ),
    h("table", {}, h("thead", {}, h("tr", {}, ...["stage", "lines", "of known origin"].map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, ...index.stages.map((stage) => h("tr", {}, h("th", { scope: "row", title: stage.contents }, stage.name), h("td", { class: "number" }, stage.lines.toLocaleString("en")), h("td", { class: "number" }, stage.known.toLocaleString("en")))))),
    missing,
    h("p", {}, `Made by strata ${index.compiler} for ${index.target.cpu}${index.target.features ? ` with ${index.target.features}` : ""}, ${index.target.triple}.`),
    h("button", { type: "button", click: async () => replace(licences, await readLicences()) }, "Licences of the page’s libraries"),
    licences,
  );
}

function themes(): HTMLElement {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const key = "strata-explore-theme";
  let stored: string | null = null;
  // A page in a frame, or of a file, may have no storage.
  try {
    stored = localStorage.getItem(key);
  } catch {}
  const apply = (theme: string): void => {
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "☀" : "☾";
    button.setAttribute("aria-label", theme === "dark" ? "Light theme" : "Dark theme");
  };
  const button = h("button", {
    type: "button",
    id: "theme",
    click: () => {
      const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      apply(theme);
      try {
        localStorage.setItem(key, theme);
      } catch {}
    },
  });
  apply(stored === "dark" || stored === "light" ? stored : dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => apply(dark.matches ? "dark" : "light"));
  return button;
}

async function main(): Promise<void> {
  const app = document.getElementById("app")!;
  const index = await readIndex();
  const model = new Model(index);
  const state = new State(
    index.operations.length,
    index.nests.map((nest) => nest.name),
  );
  const code = new CodeView(index, state);
  const details = new Details(model, state, (stage) => code.scrollToStage(stage));
  const make: Record<ViewName, () => View> = {
    graph: () => new GraphView(model, state),
    nests: () => new NestsView(model, state, details),
    memory: () => new MemoryView(model, state, details),
    cost: () => new CostView(model, state),
    about: () => ({ element: about(index) }),
  };
  const views: Partial<Record<ViewName, View>> = {};
  const area = h("main", { class: "view", tabindex: -1 });
  const tabs = VIEWS.map((name) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "view", click: () => state.show(name) }, NAMES[name]));
  area.id = "view";
  area.setAttribute("role", "tabpanel");
  /** Where arrows move the cursor of the view, if they do. */
  const cursor = (): HTMLElement | null => area.querySelector<HTMLElement>("[tabindex='0']");
  const search = new Search(model, state, () => cursor()?.focus());
  const help = h("button", { type: "button", "aria-label": "Keys and explanations", click: () => state.show("about") }, "?");
  const missing = h("div", { class: "missing", role: "alert" });
  const list = h("div", { role: "tablist", class: "tabs", "aria-label": "Views" }, ...tabs);
  list.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const next = (VIEWS.indexOf(state.view) + by + VIEWS.length) % VIEWS.length;
    state.show(VIEWS[next]);
    tabs[next].focus();
    event.preventDefault();
  });
  replace(
    app,
    h("header", { class: "top" }, h("h1", {}, h("span", { class: "mark" }, "strata"), " ", index.program.replace(/^.*\//, "")), list, search.element, themes(), help),
    missing,
    h("div", { class: "upper" }, area, details.element),
    code.element,
  );
  let shown: ViewName | null = null;
  const update = (): void => {
    tabs.forEach((tab, at) => {
      const is = VIEWS[at] === state.view;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
    });
    if (shown !== state.view) {
      shown = state.view;
      const view = (views[shown] ??= make[shown]());
      replace(area, view.element);
      area.setAttribute("aria-labelledby", `tab-${shown}`);
      view.shown?.();
    }
    replace(missing, ...state.missing.map((one) => h("p", {}, `The link names what this page does not have, ${one}. The program may have changed since.`)));
    views[shown]?.selected?.();
    details.selected();
    code.selected();
  };
  state.subscribe(update);
  update();
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isField = target.closest("input, select, textarea") !== null;
    if (event.key === "Escape") {
      if (isField) target.blur();
      else state.select(null);
      return;
    }
    if (isField) return;
    const number = Number(event.key);
    const last = index.operations.length - 1;
    const selected = state.selection?.kind === "operation" ? state.selection.at : -1;
    if (event.key === "/") search.focus();
    else if (number >= 1 && number <= VIEWS.length) state.show(VIEWS[number - 1]);
    else if (event.key === "?") state.show("about");
    else if (event.key === "]" && last >= 0) state.select({ kind: "operation", at: Math.min(last, selected + 1) });
    else if (event.key === "[" && last >= 0) state.select({ kind: "operation", at: Math.max(0, selected - 1) });
    else if (event.key === "t") document.getElementById("theme")?.click();
    else if (event.key === "g") (cursor() ?? area.querySelector<HTMLElement>("a, button") ?? area).focus();
    else if (event.key === "c") (code.element.querySelector<HTMLElement>(".cm-content") ?? code.element).focus();
    else if (event.key === "d") details.element.focus();
    else return;
    if ("[]".includes(event.key) && document.activeElement === document.body) cursor()?.focus();
    event.preventDefault();
  });
  await code.start();
  details.know(await readSources());
  document.documentElement.dataset.ready = "true";
}

main().catch((error: unknown) => {
  const app = document.getElementById("app")!;
  const hint = typeof DecompressionStream === "undefined" ? " This browser is too old: it has no DecompressionStream." : "";
  replace(app, h("p", { class: "failed", role: "alert" }, `The page cannot be shown: ${String(error)}.${hint}`));
});
