import type { PhaseGraph } from "@phasekit/core";
import { matchName } from "./routing-decision.ts";

/** Where a request should begin, and why. */
export interface InitialPhase {
  readonly phase: string;
  readonly reason: string;
}

/** Chooses where a new request begins; `undefined` leaves it where the graph begins. May ask a model. */
export type InitialPhaseStrategy = (request: string, context: { readonly graph: PhaseGraph }) => InitialPhase | undefined | Promise<InitialPhase | undefined>;

const word = (...words: readonly string[]): RegExp => new RegExp(String.raw`\b(?:${words.join("|")})\b`, "i");

const EXPLORING = word("brainstorm\\w*", "what if", "ideas?", "imagine", "possibilities", "alternatives", "how might we", "what could we", "explore (?:options|ways|approaches|directions)", "think (?:out loud|about what)", "wild");
const DOUBTFUL = word("not sure", "unsure", "i don[’']?t know", "no idea", "somehow", "something like", "maybe", "or something", "kind of", "whatever you think", "you know what i mean");
const VAGUE = /^\W*(?:hi|hello|hey|help|please help|can you help(?: me)?|i have a (?:question|problem)|i need (?:help|something)|it (?:does ?n[’']?o?t|is ?n[’']?o?t|no longer) works?(?:ing)?|(?:it[’']?s|it is) broken|make it (?:better|work|nice)|improve (?:it|this|things)|fix (?:it|this|that))\W*$/i;
const ARCHITECTURE = word("architect\\w*", "re-?design", "design (?:a|an|the|our)", "system design", "migrat\\w+", "micro-?services?", "multi-tenan\\w+", "distributed", "scal(?:e|able|ability)", "from scratch", "rewrite", "roadmap", "event[- ]sourc\\w+", "plugin system", "data model", "protocol", "split (?:the|our) monolith", "strategy for");
const SMALL = word("typo", "rename", "bump", "reword", "comment", "docs?", "readme", "changelog", "label", "button", "colou?r", "log line", "spelling");
const ACTION = word("add", "adjust", "apply", "automate", "build", "bump", "change", "clean", "configure", "convert", "copy", "create", "debug", "delete", "deploy", "disable", "document", "download", "enable", "extend", "extract", "fix", "format", "generate", "implement", "improve", "include", "increase", "insert", "install", "integrate", "investigate", "make", "merge", "migrate", "move", "optimi[sz]e", "port", "publish", "raise", "refactor", "reduce", "release", "remove", "rename", "replace", "reset", "restore", "revert", "rewrite", "run", "set up", "show", "sort", "split", "test", "translate", "turn", "update", "upgrade", "use", "validate", "write");

/**
 * Guesses from the words of a request. Open-ended ones are brainstormed, unclear ones talked about, those that need a
 * design planned. Everything else is executed: when in doubt, act.
 */
export function guessInitialPhase(request: string): InitialPhase {
  const text = request.trim();
  if (EXPLORING.test(text)) return { phase: "brainstorm", reason: "The request is open-ended." };
  if (text === "" || VAGUE.test(text) || (DOUBTFUL.test(text) && !hasObject(text))) return { phase: "chat", reason: "It is not clear what is wanted." };
  if (ARCHITECTURE.test(text) && !SMALL.test(text)) return { phase: "plan", reason: "The request needs decisions about its design." };
  if (ACTION.test(text)) return { phase: "execute", reason: "The request says clearly what to do." };
  return { phase: "execute", reason: "Nothing speaks against acting on the request." };
}

/** A file, an identifier or something quoted: a doubt about how is then no doubt about what. */
function hasObject(text: string): boolean {
  return /[`"“][^`"”]+[`"”]|\b[\w-]+\.(?:[a-z]{1,5})\b|\b[a-z]+[A-Z]\w+|\/[\w-]+\//.test(text) && ACTION.test(text);
}

/**
 * Lets a model choose. It is asked once, with every phase and when to enter it; when it fails or names no phase, the
 * words of the request decide.
 *
 * @example
 * createConversation({ agents, router, initialPhase: modelInitialPhase((prompt) => model.complete(prompt)) })
 */
export function modelInitialPhase(ask: (prompt: string) => string | Promise<string>): InitialPhaseStrategy {
  return async (request, { graph }) => {
    const phases = Object.keys(graph.phases);
    try {
      const answer = await ask(renderInitialPhaseQuestion(request, graph));
      const named = answer.match(/[\p{L}\p{N}_-]+/gu) ?? [];
      const phase = named.map((name) => matchName(name, phases)).find((name) => name !== undefined);
      if (phase !== undefined) return { phase, reason: "A model chose it." };
    } catch {
      // A model that cannot be asked is no reason not to begin.
    }
    return guessInitialPhase(request);
  };
}

/** What a model is asked. */
export function renderInitialPhaseQuestion(request: string, graph: PhaseGraph): string {
  const lines = Object.entries(graph.phases).map(([name, { purpose, entry = [] }]) => `- ${name}: ${[purpose, ...entry].filter((part) => part !== undefined).join(" ")}`);
  return `In which phase should the work on this request begin? Answer with the name of the phase alone. When in doubt, choose the one that acts.\n${lines.join("\n")}\n\nRequest:\n${request}`;
}
