import { nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { parsePythonLiteral } from "./python-literal.ts";
import type { TranscriptFormat } from "@phasekit/transcripts";

/** Bundles of the study of software-engineering agents: thoughts, actions and results of each step as text. */
export const agentsStudy: TranscriptFormat = {
  name: "agents-study",
  title: "Agents study bundle",
  detect: ({ values: [first] }) => {
    const { thoughts_actions: actions } = toObject(toObject(first)["parts"]);
    return typeof toObject(actions)["text"] === "string" ? { certainty: 1, first: ["agent", "instance"] } : undefined;
  },
  translate: ({ runs }) => ({
    take: ({ value }) => {
      const { agent, instance, parts } = toObject(value);
      const { thoughts_actions: actions, results_actions: results } = toObject(parts);
      const run = runs.open({
        ...(typeof instance === "string" && { id: instance, task: { id: instance } }),
        ...(typeof agent === "string" && { agent }),
      });
      const found = readResults(textIn(toObject(results)["text"]));
      for (const { number, thought, action } of readSteps(textIn(toObject(actions)["text"]))) {
        const calls = readCalls(action);
        run.answer({ id: String(number) });
        run.text(thought);
        for (const { tool, input } of calls) run.call({ tool, input });
        // One text holds what came of all calls of a step.
        for (const [index] of calls.entries())
          if (found.has(number)) run.result({ output: index === 0 ? found.get(number) : "" });
        if (calls.some(({ tool }) => ENDS.has(tool)) || found.get(number)?.endsWith("Next action: END") === true)
          run.finish(thought);
      }
      run.end();
    },
  }),
};

/** Calls with which the agents of the study end their work by themselves. */
const ENDS: ReadonlySet<string> = new Set(["finish", "goals_accomplished", "write_patch"]);

interface Step {
  readonly number: number;
  readonly thought: string;
  readonly action: string;
}

/** `Iteration 0: Thought=…; Action={…}` between rules, or a thought and an action with a heading each. */
function readSteps(text: string): readonly Step[] {
  const ruled = text.split("\n---\n").flatMap((step): readonly Step[] => {
    const [, number, thought = "", action = ""] =
      /^(?:Thought and Action at )?[Ii]teration (\d+): Thought=([\s\S]*?); Action=(\{[\s\S]*\})\s*$/.exec(
        step.trim(),
      ) ?? [];
    return number === undefined ? [] : [{ number: Number(number), thought, action }];
  });
  if (ruled.length > 0) return ruled;
  return [
    ...text.matchAll(
      /^Thought at Iteration (\d+): ([\s\S]*?)\nAction at Iteration \1: ([\s\S]*?)(?=\n\s*Thought at Iteration \d+:|(?![\s\S]))/gm,
    ),
  ].map(([, number, thought = "", action = ""]) => ({
    number: Number(number),
    thought: thought.trim(),
    action: action.trim(),
  }));
}

/** The texts below the headings `Result at iteration 3: `; one ends where the next heading begins. */
function readResults(text: string): ReadonlyMap<number, string> {
  const headings = [...text.matchAll(/^(Result|Action) at [Ii]teration (\d+): /gm)];
  return new Map(
    headings.flatMap((heading, place): readonly (readonly [number, string])[] => {
      const [whole, kind, number] = heading;
      return kind === "Result"
        ? [[Number(number), text.slice(heading.index + whole.length, headings[place + 1]?.index).trim()]]
        : [];
    }),
  );
}

/** A call as a Python dictionary, or several written as in code: `search_class("A"), search_method("b")`. */
function readCalls(action: string): readonly { readonly tool: string; readonly input: unknown }[] {
  if (action.startsWith("{")) {
    const { name, arguments: given, args } = toObject(parsePythonLiteral(action));
    return nameIn(name) === undefined
      ? []
      : [{ tool: textIn(name), input: typeof given === "string" ? readJson(given) : (given ?? args ?? {}) }];
  }
  const calls = [...action.matchAll(/\b([a-z_]+)\(([^()]*)\)/g)].map(([, tool = "", given = ""]) => ({
    tool,
    input: { arguments: given },
  }));
  return calls.length > 0
    ? calls
    : action === ""
      ? []
      : [{ tool: action.split(/\s/)[0]?.toLowerCase() ?? "step", input: { action } }];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
