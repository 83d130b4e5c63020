import { resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

// What the compiler says about a mistake is a promise as well: short at its beginning, and the cause at its end.

const CODING = `
  const coding = definePhaseGraph({
    initial: "exploring",
    phases: { exploring: { next: ["acting"] }, acting: { next: ["verifying"] }, verifying: { next: [], final: true } },
  });
  const run = createRun({ graph: coding });`;

/** One mistake each; every snippet is a file of its own that imports the whole package. */
const snippets = {
  none: `createRun({ graph: coding, policies: [inPhase("acting", stallReminder())] }).transition("acting");`,

  next: `definePhaseGraph({ initial: "plan", phases: { plan: { next: ["biuld"] }, build: { next: [] } } });`,
  edge: `definePhaseGraph({ initial: "plan", phases: { plan: { next: [{ to: "biuld" }] }, build: { next: [] } } });`,
  initial: `definePhaseGraph({ initial: "plna", phases: { plan: { next: ["build"] }, build: { next: [] } } });`,
  required: `definePhaseGraph({
    initial: "plan",
    phases: { plan: { next: ["build"] }, build: { next: [] } },
    required: [{ after: "biuld", visit: "plan", before: "end" }],
  });`,
  phaseField: `definePhaseGraph({ initial: "plan", phases: { plan: { next: [], maxTurn: 3 } } });`,

  transition: `run.transition("acitng");`,
  from: `run.transition("acting", { from: "explorin" });`,
  inPhase: `createRun({ graph: coding, policies: [inPhase("acitng", stallReminder())] });`,
  inPhases: `createRun({ graph: coding, policies: [inPhase(["acting", "verifing"], stallReminder())] });`,
  bundle: `createRun({ graph: coding, policies: [[inPhase("acitng", stallReminder())], budget({ turns: 3 })] });`,
  isIn: `createRun({
    graph: coding,
    policies: [{ name: "mine", decide: { "turn.started": (run) => (run.isIn("acitng") ? nudge("") : undefined) } }],
  });`,
  unmentioned: `definePolicy({
    name: "mine",
    mentions: ["acting"],
    decide: { "turn.started": (run) => (run.isIn("verifying") ? nudge("") : undefined) },
  });`,
  lacking: `
    const mine = definePolicy({
      name: "mine",
      mentions: ["reviewing"],
      decide: { "turn.started": (run) => (run.isIn("reviewing") ? nudge("") : undefined) },
    });
    createRun({ graph: coding, policies: [mine] });`,
  decidedMove: `createRun({
    graph: coding,
    policies: [{ name: "mine", decide: { "tool.finished": () => transition("acitng") } }],
  });`,

  refuse: `definePolicy({ name: "mine", decide: { "tool.finished": () => refuse("") } });`,
  refuseInList: `definePolicy({ name: "mine", decide: { "turn.started": () => [nudge(""), refuse("")] } });`,
  refuseInRun: `createRun({
    graph: coding,
    policies: [{ name: "mine", decide: { "tool.finished": () => refuse("") } }],
  });`,
  veto: `definePolicy({ name: "mine", decide: { "turn.started": (run) => (run.turn > 3 ? veto("") : undefined) } });`,
  nudge: `definePolicy({ name: "mine", decide: { "tool.finished": () => nudge("") } });`,
  vouch: `definePolicy({ name: "mine", decide: { "tool.finished": () => vouch() } });`,

  eventField: `definePolicy({
    name: "mine",
    decide: {
      "tool.finished": (_run, _state, event) => (event.outptu === "" ? stop({ reason: "turn_limit" }) : undefined),
    },
  });`,
  viewField: `definePolicy({
    name: "mine",
    decide: { "turn.started": (run) => (run.phaseEnty === "" ? nudge("") : undefined) },
  });`,
  decideKey: `definePolicy({ name: "mine", decide: { "tool.finishd": () => undefined } });`,
  derivedKey: `definePolicy({ name: "mine", decide: { "nudge.sent": () => undefined } });`,
  observeKey: `definePolicy({ name: "mine", observe: { "tool.finishd": () => undefined } });`,
  state: `definePolicy({
    name: "mine",
    initial: () => ({ count: 0 }),
    decide: { "turn.started": (_run, state) => { state.count += 1; return undefined; } },
  });`,
  brackets: `createRun({ graph: coding, policies: [stallReminder] });`,
  option: `createRun({ graph: coding, polices: [] });`,

  unknownEvent: `run.record({ type: "tool.finishd", tool: "Read", outcome: "ok" });`,
  derivedEvent: `run.record({ type: "nudge.sent" });`,
  missingField: `run.record({ type: "tool.finished", tool: "Read" });`,
  eventMember: `run.record({ type: "tool.finished", tool: "Read", outcome: "ok", outptu: "" });`,
} as const;

type Mistake = Exclude<keyof typeof snippets, "none">;

const messagesByFile = compile();

/** The first and the last line of what the compiler says; the lines between lead from one to the other. */
function said(mistake: Mistake): string {
  const [message = "", ...others] = messagesByFile.get(mistake) ?? [];
  if (others.length > 0)
    throw new Error(`One mistake, ${String(others.length + 1)} messages: ${[message, ...others].join("\n")}`);
  const lines = message.split("\n").map((line) => line.trim());
  return [...new Set([lines[0], lines.at(-1)])]
    .map((line = "") => wrap(line.replaceAll(/"[^" ]+"(?: \| (?:"[^" ]+"|\.{3} \d+ more \.{3}))+/g, sortUnion)))
    .join("\n… ");
}

/** Breaks a long line at its spaces. */
function wrap(line: string): string {
  return line.replaceAll(/(.{60,100}?) (?=.{25})/g, "$1\n  ");
}

// The compiler's order of names depends on code that has nothing to do with the mistake, and so does where it cuts a
// long list.
function sortUnion(union: string): string {
  return union.includes(" more ") ? "(many names)" : union.split(" | ").sort().join(" | ");
}

it("the compiler accepts correct code", () => {
  expect(messagesByFile.get("none")).toEqual([]);
});

describe("a misspelt phase in a graph", () => {
  it("the compiler names a misspelt phase in next", () =>
    expect(said("next")).toMatchInlineSnapshot(
      `
      "Type '"biuld"' is not assignable to type '"build" | "plan" |
        PhaseEdge<"build" | "plan">'. Did you mean '"build"'?"
    `,
    ));
  it("the compiler names a misspelt phase in an edge", () =>
    expect(said("edge")).toMatchInlineSnapshot(
      `"Type '"biuld"' is not assignable to type '"build" | "plan"'. Did you mean '"build"'?"`,
    ));
  it("the compiler names a misspelt phase in initial", () =>
    expect(said("initial")).toMatchInlineSnapshot(`"Type '"plna"' is not assignable to type '"build" | "plan"'."`));
  it("the compiler names a misspelt phase in required", () =>
    expect(said("required")).toMatchInlineSnapshot(
      `"Type '"biuld"' is not assignable to type '"build" | "plan"'. Did you mean '"build"'?"`,
    ));
  it("the compiler names a misspelt field of a phase", () =>
    expect(said("phaseField")).toMatchInlineSnapshot(
      `
      "Object literal may only specify known properties, but 'maxTurn'
        does not exist in type 'PhaseSpec<"plan">'. Did you mean to write 'maxTurns'?"
    `,
    ));
});

describe("a phase the graph lacks", () => {
  it("the compiler names an unknown phase in transition", () =>
    expect(said("transition")).toMatchInlineSnapshot(
      `
      "Argument of type '"acitng"' is not assignable to parameter of
        type '"acting" | "exploring" | "verifying"'."
    `,
    ));
  it("the compiler names an unknown phase in a transition's from", () =>
    expect(said("from")).toMatchInlineSnapshot(
      `
      "Type '"explorin"' is not assignable to type '"acting" | "exploring"
        | "verifying" | undefined'. Did you mean '"exploring"'?"
    `,
    ));
  it("the compiler names an unknown phase in inPhase", () =>
    expect(said("inPhase")).toMatchInlineSnapshot(`
      "Type 'Policy<unknown, "acitng">' is not assignable to type 'Policy<unknown,
        "acting" | "exploring" | "verifying"> | readonly Policy<unknown,
        "acting" | "exploring" | "verifying">[]'.
      … Type '"acitng"' is not assignable to type '"acting" | "exploring"
        | "verifying"'. Did you mean '"acting"'?"
    `));
  it("the compiler names an unknown phase in a list for inPhase", () =>
    expect(said("inPhases")).toMatchInlineSnapshot(`
      "Type 'Policy<unknown, "acting" | "verifing">' is not assignable
        to type 'Policy<unknown, "acting" | "exploring" | "verifying">
        | readonly Policy<unknown, "acting" | "exploring" | "verifying">[]'.
      … Type '"verifing"' is not assignable to type '"acting" | "exploring"
        | "verifying"'. Did you mean '"verifying"'?"
    `));
  it("the compiler names an unknown phase in a bundle", () =>
    expect(said("bundle")).toMatchInlineSnapshot(`
      "Type 'Policy<unknown, "acitng">' is not assignable to type 'Policy<unknown,
        "acting" | "exploring" | "verifying">'.
      … Type '"acitng"' is not assignable to type '"acting" | "exploring"
        | "verifying"'. Did you mean '"acting"'?"
    `));
  it("the compiler names an unknown phase in isIn", () =>
    expect(said("isIn")).toMatchInlineSnapshot(
      `
      "Argument of type '"acitng"' is not assignable to parameter of
        type '"acting" | "exploring" | "verifying"'."
    `,
    ));
  it("the compiler names a phase in isIn that the policy does not mention", () =>
    expect(said("unmentioned")).toMatchInlineSnapshot(
      `"Argument of type '"verifying"' is not assignable to parameter of type '"acting"'."`,
    ));
  it("the compiler names an unknown phase that a policy mentions", () =>
    expect(said("lacking")).toMatchInlineSnapshot(`
      "Type 'Policy<undefined, "reviewing">' is not assignable to type
        'Policy<unknown, "acting" | "exploring" | "verifying"> | readonly
        Policy<unknown, "acting" | "exploring" | "verifying">[]'.
      … Type '"reviewing"' is not assignable to type '"acting" | "exploring" | "verifying"'."
    `));
  it("the compiler names an unknown phase in a move a policy decides", () =>
    expect(said("decidedMove")).toMatchInlineSnapshot(`
      "Type '() => Transition<"acitng">' is not assignable to type '(run:
        RunView<"acting" | "exploring" | "verifying">, state: Readonly<unknown>,
        event: HostEventOf<"tool.finished">) => DecisionOrHint<"tool.finished",
        (many names)> | readonly DecisionOrHint<...>[] | undefined'.
      … Type '"acitng"' is not assignable to type '"acting" | "exploring"
        | "verifying"'. Did you mean '"acting"'?"
    `));
});

describe("a decision at the wrong moment", () => {
  it("the compiler rejects refuse at the wrong moment", () =>
    expect(said("refuse")).toMatchInlineSnapshot(`
      "Type '() => Refuse' is not assignable to type '(run: RunView<never>,
        state: undefined, event: HostEventOf<"tool.finished">) => DecisionOrHint<"tool.finished",
        never> | readonly DecisionOrHint<"tool.finished", never>[] | undefined'.
      … Type 'string' is not assignable to type '"refuse is possible
        at \\"tool.requested\\" only"'."
    `));
  it("the compiler rejects refuse in a list at the wrong moment", () =>
    expect(said("refuseInList")).toMatchInlineSnapshot(`
      "Type '() => (Nudge | Refuse)[]' is not assignable to type '(run:
        RunView<never>, state: undefined, event: HostEventOf<"turn.started">)
        => DecisionOrHint<"turn.started", never> | readonly DecisionOrHint<"turn.started", never>[] | undefined'.
      … Type 'string' is not assignable to type '"refuse is possible
        at \\"tool.requested\\" only"'."
    `));
  it("the compiler rejects refuse at the wrong moment in a policy written inside createRun", () =>
    expect(said("refuseInRun")).toMatchInlineSnapshot(`
      "Type '() => Refuse' is not assignable to type '(run: RunView<"acting"
        | "exploring" | "verifying">, state: Readonly<unknown>, event:
        HostEventOf<"tool.finished">) => DecisionOrHint<"tool.finished",
        (many names)> | readonly DecisionOrHint<...>[] | undefined'.
      … Type 'string' is not assignable to type '"refuse is possible
        at \\"tool.requested\\" only"'."
    `));
  it("the compiler rejects veto at the wrong moment", () =>
    expect(said("veto")).toMatchInlineSnapshot(`
      "Type '(run: RunView<never>) => Veto | undefined' is not assignable
        to type '(run: RunView<never>, state: undefined, event: HostEventOf<"turn.started">)
        => DecisionOrHint<"turn.started", never> | readonly DecisionOrHint<"turn.started", never>[] | undefined'.
      … Type 'string' is not assignable to type '"veto is possible at
        \\"finish.requested\\" only"'."
    `));
  it("the compiler rejects nudge at the wrong moment", () =>
    expect(said("nudge")).toMatchInlineSnapshot(`
      "Type '() => Nudge' is not assignable to type '(run: RunView<never>,
        state: undefined, event: HostEventOf<"tool.finished">) => DecisionOrHint<"tool.finished",
        never> | readonly DecisionOrHint<"tool.finished", never>[] | undefined'.
      … Type 'string' is not assignable to type '"nudge is possible at
        \\"turn.started\\" and \\"review.finished\\" only"'."
    `));
  it("the compiler rejects vouch at the wrong moment", () =>
    expect(said("vouch")).toMatchInlineSnapshot(`
      "Type '() => Vouch' is not assignable to type '(run: RunView<never>,
        state: undefined, event: HostEventOf<"tool.finished">) => DecisionOrHint<"tool.finished",
        never> | readonly DecisionOrHint<"tool.finished", never>[] | undefined'.
      … Property 'text' is missing in type 'Vouch' but required in type
        'OnlyAt<readonly ["finish.requested"], "vouch">'."
    `));
});

describe("a name that does not exist", () => {
  it("the compiler names an unknown member of an event", () =>
    expect(said("eventField")).toMatchInlineSnapshot(
      `"Property 'outptu' does not exist on type 'HostEventOf<"tool.finished">'. Did you mean 'output'?"`,
    ));
  it("the compiler names an unknown member of the run", () =>
    expect(said("viewField")).toMatchInlineSnapshot(
      `
      "Property 'phaseEnty' does not exist on type 'RunView<never>'.
        Did you mean 'phaseEntry'?"
    `,
    ));
  it("the compiler names an unknown key of decide", () =>
    expect(said("decideKey")).toMatchInlineSnapshot(
      `
      "Object literal may only specify known properties, and '"tool.finishd"'
        does not exist in type 'Deciders<undefined, never>'."
    `,
    ));
  it("the compiler names a key of decide that is a derived event", () =>
    expect(said("derivedKey")).toMatchInlineSnapshot(
      `
      "Object literal may only specify known properties, and '"nudge.sent"'
        does not exist in type 'Deciders<undefined, never>'."
    `,
    ));
  it("the compiler names an unknown key of observe", () =>
    expect(said("observeKey")).toMatchInlineSnapshot(
      `
      "Object literal may only specify known properties, and '"tool.finishd"'
        does not exist in type 'Observers<undefined>'."
    `,
    ));
  it("the compiler names an unknown option", () =>
    expect(said("option")).toMatchInlineSnapshot(
      `
      "Object literal may only specify known properties, but 'polices'
        does not exist in type 'RunOptions<"acting" | "exploring" | "verifying">'.
        Did you mean to write 'policies'?"
    `,
    ));
});

describe("other mistakes", () => {
  it("the compiler rejects a change of state in decide", () =>
    expect(said("state")).toMatchInlineSnapshot(`"Cannot assign to 'count' because it is a read-only property."`));
  it("the compiler rejects a policy without its brackets", () =>
    expect(said("brackets")).toMatchInlineSnapshot(`
      "Type '({ afterTurns }?: StallReminderOptions) => Policy<unknown,
        never>' is not assignable to type 'Policy<unknown, "acting" |
        "exploring" | "verifying"> | readonly Policy<unknown, "acting"
        | "exploring" | "verifying">[]'.
      … Did you mean to call this expression?"
    `));
  it("the compiler rejects an unknown event in record", () =>
    expect(said("unknownEvent")).toMatchInlineSnapshot(
      `
      "Type '"tool.finishd"' is not assignable to type '(many names)'.
        Did you mean '"tool.finished"'?"
    `,
    ));
  it("the compiler rejects a derived event in record", () =>
    expect(said("derivedEvent")).toMatchInlineSnapshot(
      `
      "Type '"nudge.sent"' is not assignable to type '(many names)'.
        Did you mean '"nudge.lost"'?"
    `,
    ));
  it("the compiler rejects an event in record without a required field", () =>
    expect(said("missingField")).toMatchInlineSnapshot(`
      "Argument of type '{ type: "tool.finished"; tool: string; }' is
        not assignable to parameter of type 'NewEvent'.
      … Property 'outcome' is missing in type '{ type: "tool.finished";
        tool: string; }' but required in type 'Omit<HostBody<"tool.finished">,
        "error" | "meaning" | "tool">'."
    `));
  it("the compiler rejects an event in record with a misspelt field", () =>
    expect(said("eventMember")).toMatchInlineSnapshot(
      `
      "Object literal may only specify known properties, but 'outptu'
        does not exist in type 'NewEventOf<"tool.finished">'. Did you mean to write 'output'?"
    `,
    ));
});

/** Compiles all snippets as one program against the sources, as a user's strict compiler would. */
function compile(): ReadonlyMap<string, readonly string[]> {
  const root = resolve(import.meta.dirname, "..");
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
    paths: { "@phasekit/core": [resolve(root, "src/index.ts")] },
  };
  const imports =
    "budget createRun definePhaseGraph definePolicy inPhase nudge refuse stallReminder stop transition veto vouch";
  const head = `import { ${imports.split(" ").join(", ")} } from "@phasekit/core";${CODING}`;
  const textByFile = new Map(
    Object.entries(snippets).map(([name, code]) => [resolve(root, `test/snippet-${name}.ts`), `${head}\n${code}`]),
  );
  const host = ts.createCompilerHost(options);
  host.fileExists = (file) => textByFile.has(file) || ts.sys.fileExists(file);
  host.readFile = (file) => textByFile.get(file) ?? ts.sys.readFile(file);
  const program = ts.createProgram([...textByFile.keys()], options, host);
  const messages = [...textByFile.keys()].map((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(textOf);
  });
  return new Map(Object.keys(snippets).map((name, index) => [name, messages[index] ?? []]));
}

/** A message and the compiler's question after it, such as "Did you mean to call this expression?" */
function textOf({ messageText, relatedInformation = [] }: ts.Diagnostic): string {
  const questions = relatedInformation
    .map((related) => ts.flattenDiagnosticMessageText(related.messageText, "\n"))
    .filter((text) => text.endsWith("?"));
  return [ts.flattenDiagnosticMessageText(messageText, "\n"), ...questions].join("\n");
}
