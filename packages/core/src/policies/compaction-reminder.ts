import { pushBounded } from "../text/bounded.ts";
import { clipText } from "../text/clip.ts";
import { nudge } from "./decision.ts";
import { phaseSpec } from "../graph/phase-graph.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { quote } from "../text/quote.ts";
import type { RunView } from "../view/run-view.ts";

interface ReminderState {
  /** The compaction the agent was not reminded after yet, by its seq. */
  due: number | undefined;
  plan: string | undefined;
  /** The last decisions, oldest first. */
  readonly decided: string[];
  /** The reasons why the last finish was not accepted. */
  unmet: string[];
  /** To-dos that are not done. */
  todos: readonly string[];
}

const MAX_DECIDED = 5;
const MAX_LISTED = 8;
const MAX_LINE = 240;

/**
 * Restates the phase, the decisions and what is owed in the first turn after the host shortened the conversation
 * (`context.compacted`), once per compaction.
 *
 * @example
 * createRun({ graph: codingPhases, policies: [compactionReminder()] })
 */
export function compactionReminder(): Policy {
  return definePolicy({
    name: "compaction-reminder",
    initial: (): ReminderState => ({ due: undefined, plan: undefined, decided: [], unmet: [], todos: [] }),
    observe: {
      "context.compacted": (state, { seq }) => {
        state.due = seq;
      },
      "plan.declared": (state, { text }) => {
        state.plan = text;
      },
      "todos.updated": (state, { todos }) => {
        const open = todos.filter(({ status }) => !/^(completed|done|cancelled)$/i.test(status));
        state.todos = open.flatMap(({ text }) => text ?? []).slice(0, MAX_LISTED);
      },
      "review.finished": ({ decided }, { verdict, feedback }) => {
        remember(decided, `Review: ${verdict}`, feedback);
      },
      "verdict.given": ({ decided }, { verdict, phase, why }) => {
        remember(decided, `Verdict${phase === undefined ? "" : ` on ${quote(phase)}`}: ${verdict}`, why);
      },
      "phase.transition": ({ decided }, { from, to, summary, message, reason }) => {
        remember(decided, `Moved from ${quote(from)} to ${quote(to)}`, summary ?? message ?? reason);
      },
      "finish.requested": (state) => {
        state.unmet = [];
      },
      "finish.vetoed": ({ unmet }, { text, held }) => {
        if (held !== "waived" && unmet.length < MAX_LISTED) unmet.push(text);
      },
      "nudge.sent": (state, { episode }) => {
        if (episode === episodeOf(state.due)) state.due = undefined;
      },
    },
    decide: {
      "turn.started": (run, state) =>
        state.due === undefined
          ? undefined
          : nudge(render(run, state), { episode: episodeOf(state.due), guidance: true, topic: "compaction" }),
    },
  });
}

const episodeOf = (due: number | undefined): string => `compaction:${String(due)}`;

function remember(decided: string[], what: string, why: string | undefined): void {
  pushBounded(decided, why === undefined ? what : `${what}. ${why}`, MAX_DECIDED);
}

function render(run: RunView, { plan, decided, unmet, todos }: Readonly<ReminderState>): string {
  const purpose = phaseSpec(run.graph, run.phase)?.purpose;
  const task = run.task?.text;
  const owed = [
    ...run.owed.map(
      ({ visit, before }) => `The phase ${quote(visit)}${before === "end" ? "" : ` before ${quote(before)}`}.`,
    ),
    ...unmet,
    ...todos.map((todo) => `To do: ${todo}`),
  ];
  return [
    "The conversation was shortened. This still holds:",
    ...(task === undefined ? [] : [`Task: ${short(task)}`]),
    `Phase: ${quote(run.phase)}, for ${turnsText(run.turnsInPhase)}.${purpose === undefined ? "" : ` ${purpose}`}`,
    ...(plan === undefined ? [] : [`Plan: ${short(plan)}`]),
    ...section("Decided:", decided),
    ...section("Still owed:", owed),
    "Continue from here; do not plan again what is planned.",
  ].join("\n");
}

const turnsText = (turns: number): string => `${String(turns)} ${turns === 1 ? "turn" : "turns"}`;

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines.slice(0, MAX_LISTED).map((line) => `- ${short(line)}`)];
}

const short = (text: string): string => clipText(text.replace(/\s+/g, " ").trim(), MAX_LINE);
