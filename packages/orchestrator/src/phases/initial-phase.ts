import type { PhaseGraph } from "@phasekit/core";
import { matchName } from "../rounds/routing-decision.ts";

/** Phase in which a request begins, and why. */
export interface InitialPhase {
  readonly phase: string;
  readonly reason: string;
}

/** Chooses the phase of a new request; `undefined` keeps the graph's first phase. May ask a model. */
export type InitialPhaseStrategy = (
  request: string,
  context: { readonly graph: PhaseGraph },
) => InitialPhase | undefined | Promise<InitialPhase | undefined>;

const word = (...words: readonly string[]): RegExp => new RegExp(String.raw`\b(?:${words.join("|")})\b`, "i");
const start = (...words: readonly string[]): RegExp => new RegExp(String.raw`^(?:${words.join("|")})\b`, "i");

/** Words before the verb: politeness, a subject, a time. They are removed again and again until the verb is first. */
const LEAD_INS = start(
  "please",
  "kindly",
  "hey|hi|hello|ok|okay|so|well",
  "now|then|also|next|first|finally|quickly|just|maybe|perhaps",
  "quick one|one more thing|go ahead and",
  "(?:can|could|would|will) (?:you|we)(?: please)?",
  "would you mind|do you mind",
  "(?:i|we)(?:'d| would)? (?:want|like|need)(?: you)? to",
  "(?:you|we|i) (?:should|must|have to|need to|want to|can)",
  "let(?:'|’)?s|let us",
  "try(?: to)?",
  "before (?:coding|you (?:start|code|touch \\w+ code)),?",
);
/** Verbs that design: their object is a plan, whatever it is called. */
const DESIGNS = start(
  "plan(?:ning)?(?! for the)",
  "(?:re-?)?design(?:ing)?",
  "architect",
  "outline",
  "decide (?:how|which|whether)",
  "work out",
  "break .{1,60} (?:into|down)",
  "estimate",
  "define the (?:interfaces?|boundar|architecture|schema|data model)",
);
/** Objects that make a plan out of a general verb: "write a specification", "make a plan". */
const PLANS = [
  "(?:technical |implementation |migration |rollout |system |detailed )?",
  "(?:plan|design(?: doc(?:ument)?)?|spec(?:ification)?|architecture|roadmap|strategy|proposal|rfc|data model)",
].join("");
const MAKES = [
  "write(?: down)?|draft|propose|make|create|prepare|put together|come up with|give me|describe",
  "(?:i|we)(?:'d| would)? (?:need|want|like)",
].join("|");
const AFTER_PLAN = String.raw`(?= (?:for|of|to|on|that|which|how|before|first|with|so|as|and|,)\b|\W*$)`;
const MAKES_PLAN = new RegExp(`^(?:${MAKES}) (?:an?|the|our|up an?)? ?(?:${PLANS}|steps (?:to|for))${AFTER_PLAN}`, "i");
/** The request keeps the agent from acting: "don't write code yet". */
const NOT_YET = word(
  "(?:do not|don['’]t|without) (?:write|writing|implement(?:ing)?|touch(?:ing)?|chang(?:e|ing))" +
    "(?: any)?(?: code)?(?: it)?(?: yet)?",
  "before (?:coding|you (?:touch|write|change))",
  "not implement",
  "no code yet",
);
/** Work on a whole system, which needs a design even if the verb acts. */
const LARGE = word(
  "(?:migrate|split|move|break up) (?:our|the) (?:monolith|whole|entire|system|platform).{0,40}",
  "from scratch",
  "(?:to|into) micro-?services",
  "rewrite (?:the|our) (?:whole|entire|system|storage|platform|backend|frontend|core)",
);
/** Openings of an open question or of play with ideas. */
const EXPLORES = start(
  "brainstorm\\w*",
  "(?:some )?ideas? (?:for|about|on|to)",
  "imagine",
  "suppose",
  "what if",
  "what (?:else )?(?:could|might|would|should) (?:we|i|it|happen|be|make)",
  "what are (?:some|the|other|possible)? ?(?:alternatives|options|ways|possibilities|ideas|pros)",
  "how (?:might|could) (?:we|i)",
  "which other",
  "should we",
  "i wonder",
  "explore (?:options|ways|approaches|directions|possibilities|ideas|alternatives|both)",
  "think (?:out loud|about (?:what|where|how|which|whether))",
  "toss around",
  "suggest (?:a few|some|several|other)",
  "give me (?:some |a few )?(?:ideas|alternatives|options|suggestions)",
  "(?:i'm|i am|we're|we are) (?:looking for|after) (?:inspiration|ideas)",
  "play with ideas",
);
/** Signs of open exploration anywhere, if no verb acts. */
const OPEN = word(
  "brainstorm\\w*",
  "any (?:thoughts|ideas)",
  "let['’]?s explore",
  "play with (?:some )?ideas",
  "something creative",
  "how might we",
  "what if",
);
const DOUBTFUL = word(
  "not sure",
  "unsure",
  "i don[’']?t know",
  "no idea",
  "somehow",
  "something like",
  "or something",
  "kind of",
  "whatever you think",
  "you know what i mean",
);
const THING = "(?:it|this|that|things?|everything|the (?:thing|app|site|page|code|project)|something)";
const VAGUE_REQUESTS = [
  "hi|hello|hey|hmm+|ok|thanks?(?: you)?|help|please help|hello,? are you there",
  "(?:can|could) you help(?: me)?(?: with (?:my|the|this|a) \\w+)?|what can you do",
  "(?:i|we) (?:have|need|want|got) (?:an? )?(?:question|problem|issue|help|something|app|site|website|idea)" +
    "(?: with \\w+(?: \\w+)?)?",
  "(?:it|this|that|something|\\w+ \\w+) (?:does ?n[’']?o?t|is ?n[’']?o?t|no longer) works?(?:ing)?",
  "(?:it[’']?s|it is) broken",
  "(?:something|the thing)(?: \\w+)* (?:is|are)(?: \\w+)* (?:wrong|odd|off|strange|broken)(?: with \\w+(?: \\w+)?)?",
  `(?:make|do|improve|fix|change|handle|sort) ${THING}(?: (?:better|work|nicer?|good|properly|out))?` +
    "(?: (?:we|you) (?:talked|spoke) about(?: \\w+)?)?",
  "it should be (?:better|nicer|faster|different)|not (?:quite )?what i meant|you know what to do",
];
const VAGUE = new RegExp(String.raw`^\W*(?:${VAGUE_REQUESTS.join("|")})\W*$`, "i");
/** The person wants to talk before anything happens. */
const TALK_FIRST = word(
  "talk about (?:the|my|our) (?:requirements|project|goals?)",
  "ask me (?:what|anything|questions)",
  "i don['’]?t know where to (?:begin|start)",
  "where (?:do|should) i (?:begin|start)",
);

const VERBS = [
  "add",
  "adjust",
  "apply",
  "automate",
  "build",
  "bump",
  "change",
  "clean",
  "configure",
  "convert",
  "copy",
  "create",
  "debug",
  "delete",
  "deploy",
  "disable",
  "document",
  "download",
  "enable",
  "extend",
  "extract",
  "fix",
  "format",
  "generate",
  "implement",
  "improve",
  "include",
  "increase",
  "insert",
  "install",
  "integrate",
  "investigate",
  "make",
  "merge",
  "migrate",
  "move",
  "optimi[sz]e",
  "port",
  "publish",
  "raise",
  "refactor",
  "reduce",
  "release",
  "remove",
  "rename",
  "replace",
  "reset",
  "restore",
  "revert",
  "rewrite",
  "run",
  "set up",
  "show",
  "sort",
  "split",
  "test",
  "translate",
  "turn",
  "update",
  "upgrade",
  "use",
  "validate",
  "write",
];
const ACTION = word(...VERBS);
/** A sentence that begins with a verb of action, in the imperative or as "adding". */
const ACTS = start(...VERBS, "\\w+ing");

interface Rule extends InitialPhase {
  readonly holds: (request: ParsedRequest) => boolean;
}

interface ParsedRequest {
  /** The whole text. */
  readonly text: string;
  /** Each sentence without its lead-in, so that it begins with its verb. */
  readonly sentences: readonly string[];
}

/** In order: the first rule that holds decides. A verb at the start of a sentence outranks words further back. */
const RULES: readonly Rule[] = [
  {
    phase: "chat",
    reason: "It is not clear what is wanted.",
    holds: ({ text }) => text === "" || VAGUE.test(text) || TALK_FIRST.test(text),
  },
  {
    phase: "plan",
    reason: "The request asks for a plan before any change.",
    holds: ({ text, sentences }) =>
      NOT_YET.test(text) && !sentences.some((sentence) => EXPLORES.test(sentence) || OPEN.test(sentence)),
  },
  {
    phase: "brainstorm",
    reason: "The request is open-ended.",
    holds: ({ sentences }) => sentences.some((sentence) => EXPLORES.test(sentence)),
  },
  {
    phase: "plan",
    reason: "The request needs decisions about its design.",
    holds: ({ sentences }) => sentences.some((sentence) => DESIGNS.test(sentence) || MAKES_PLAN.test(sentence)),
  },
  {
    phase: "chat",
    reason: "It is not clear what is wanted.",
    holds: ({ text }) => DOUBTFUL.test(text) && !hasObject(text),
  },
  {
    phase: "plan",
    reason: "The request changes a whole system.",
    holds: ({ text }) => LARGE.test(text),
  },
  {
    phase: "brainstorm",
    reason: "The request is open-ended.",
    holds: ({ sentences }) =>
      sentences.some((sentence) => OPEN.test(sentence)) && !sentences.some((sentence) => ACTS.test(sentence)),
  },
];

const MAX_TEXT = 4000;
const MAX_SENTENCES = 40;
const MAX_LEAD_INS = 4;

/**
 * Guesses the phase from a request. The verb decides: a sentence that begins with a verb of design is a `plan`, one
 * that opens a question is `brainstorm`, and keywords in its object count for nothing. An unclear request is `chat`. In
 * doubt the phase is `execute`.
 */
export function guessInitialPhase(request: string): InitialPhase {
  const text = request.trim().slice(0, MAX_TEXT);
  const sentences = text
    .split(/[.!?;\n]+|, (?=please\b)/)
    .slice(0, MAX_SENTENCES)
    .map(withoutLeadIn);
  const found = RULES.find(({ holds }) => holds({ text, sentences }));
  if (found !== undefined) return { phase: found.phase, reason: found.reason };
  return sentences.some((sentence) => ACTS.test(sentence))
    ? { phase: "execute", reason: "The request says clearly what to do." }
    : { phase: "execute", reason: "Nothing speaks against acting on the request." };
}

/** Removes a label, politeness and subjects in front of the verb. */
function withoutLeadIn(sentence: string): string {
  let rest = withoutLabel(sentence.trim());
  for (let n = 0; n < MAX_LEAD_INS; n += 1) {
    const shorter = rest.replace(LEAD_INS, "").replace(/^[\s,:–-]+/, "");
    if (shorter === rest) break;
    rest = shorter;
  }
  return rest;
}

/** "Design tokens: rename one" is about renaming. */
function withoutLabel(sentence: string): string {
  const [label = "", rest] = sentence.split(/: (.*)/s, 2);
  return rest !== undefined && label.length <= 30 && ACTS.test(rest) ? rest : sentence;
}

/** True if the text names a file, an identifier or a quotation: then only the how is in doubt, not the what. */
function hasObject(text: string): boolean {
  return /[`"“][^`"”]+[`"”]|\b[\w-]+\.(?:[a-z]{1,5})\b|\b[a-z]+[A-Z]\w+|\/[\w-]+\//.test(text) && ACTION.test(text);
}

/**
 * Lets a model choose the phase. It gets every phase and when to enter it. If it fails or names no phase,
 * `guessInitialPhase` decides.
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
      // A model that fails must not block the request.
    }
    return guessInitialPhase(request);
  };
}

/** Renders the question to the model. */
export function renderInitialPhaseQuestion(request: string, graph: PhaseGraph): string {
  const lines = Object.entries(graph.phases).map(
    ([name, { purpose, entry = [] }]) =>
      `- ${name}: ${[purpose, ...entry].filter((part) => part !== undefined).join(" ")}`,
  );
  return [
    "In which phase should the work on this request begin? Answer with the name of the phase only.",
    "When in doubt, choose the one that acts.",
    ...lines,
    `\nRequest:\n${request}`,
  ].join("\n");
}
