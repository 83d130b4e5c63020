import type { FailureKind } from "./failure-report.ts";

/** One family of obstacles: what programs print when they meet it. */
interface Family {
  readonly kind: FailureKind;
  readonly signs: readonly RegExp[];
}

/** Every family; the first whose words are in the text wins, so the exact ones come before the broad ones. */
const FAMILIES: readonly Family[] = [
  // Credentials that are missing, wrong or expired.
  {
    kind: "prerequisite",
    signs: [
      /\btokens? (included in the request )?(has |have |is |are |was |been )*(expired|revoked|invalid)\b/i,
      /\b(expired|revoked|invalid) (or \w+ )?([\w-]+ )?(token|credentials?|api[ _-]?key)\b|\bjwt expired\b/i,
      /\bExpiredToken\b|\binvalid_grant\b/i,
      /\bbad credentials\b|authentication (is )?(required|failed)|invalid username or (password|token)/i,
      /\b(not|aren't|isn't) (logged|signed) in\b|could not read (username|password) for|terminal prompts disabled/i,
      /permission denied \((publickey|password|keyboard-interactive)|unable to locate credentials/i,
      /no credentials found/i,
      /\b(401|403)\b[ :]*(unauthorized|forbidden)|\b(http|status|error|code)\b[^\n]{0,20}\b(401|403)\b/i,
      /unauthorized: (authentication|access)|pull access denied|(certificate|license) has expired/i,
    ],
  },
  // A program, package, image or database that is not there.
  {
    kind: "prerequisite",
    signs: [
      /command not found|\bnot recognized as an internal or external command|: not found$/im,
      /executable file not found in \$?PATH/im,
      /cannot find (module|package)|module ?not ?found(error)?\b|no module named|could not resolve dependency/i,
      /spawn \S+ ENOENT|\bis not installed\b|please (run|install) [^\n]{0,40}(install|login)/i,
      /no such (image|container|service|database|table|package)|(database|relation|role) "[^"]+" does not exist/i,
      /no matching (version|distribution|manifest) found|unable to locate package/i,
      /package '[^']+' has no installation candidate/i,
    ],
  },
  // A setting or key that was not given.
  {
    kind: "prerequisite",
    signs: [
      /\b(missing|required|undefined|unset) (required )?(env(ironment)?|credentials?|secret|config(uration)?)\b/i,
      /\b(missing|required|undefined|unset) (required )?api[ _-]?key\b/i,
      /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+ (environment variable )?(is|was) (not set|missing|required|undefined)/,
    ],
  },
  // A lock that another process holds.
  {
    kind: "transient",
    signs: [
      /cannot lock ref [^\n]*\bis at [0-9a-f]+ but expected\b/i,
      /unable to create '[^'\n]*\.lock': file exists|another git process seems to be running/i,
      /(index|database|table|file) is (locked|busy)|could not get lock|deadlock detected|lock wait timeout/i,
      /resource temporarily unavailable|\bEAGAIN\b|\bEBUSY\b|text file busy/i,
    ],
  },
  // A repository whose objects, index or refs are damaged.
  {
    kind: "environment",
    signs: [
      /\b(loose )?object [0-9a-f]{4,64}[^\n]{0,120}\bis (corrupt|empty|missing)|object file \S+ is empty/i,
      /corrupt(ed)? (loose )?object/i,
      /\b(sha-?1|hash) mismatch\b|bad (object|tree|index file|signature 0x|sha1 file)/i,
      /index file (corrupt|smaller than expected)/i,
      /unable to (read|find|unpack) (tree|sha1 file|[0-9a-f]{7,64}\b)/i,
      /(packfile|pack) \S* ?(is|has) (truncated|corrupt|bad object|far too short)/i,
      /could not read [0-9a-f]{7,64}\b|missing (blob|tree|commit) [0-9a-f]{7,64}|inflate: data stream error/i,
      /object corrupt or missing/i,
      /cannot (lock|update|unlock) ref\b|unable to (resolve|lock|update) (reference|ref)\b|reference broken/i,
      /broken (ref|link)\b|dangling ref/i,
    ],
  },
  // A folder that is not the working copy it should be.
  {
    kind: "environment",
    signs: [
      /not a git repository|must be run in a work tree|is not a working (tree|copy)|not a (hg|mercurial|jj) repo/i,
      /no repository found in|dubious ownership in repository|is already (checked out|used by worktree) at/i,
    ],
  },
  // A disk that is full or may not be written.
  {
    kind: "environment",
    signs: [
      /no space left on device|\bENOSPC\b|disk quota exceeded|\bEDQUOT\b|read-only file system|\bEROFS\b/i,
      /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b|input\/output error|\bEIO\b/i,
    ],
  },
  // Memory, handles or ports that are used up.
  {
    kind: "environment",
    signs: [
      /out of memory|\bENOMEM\b|cannot allocate memory|\boom-?kill|too many open files|\b[EN]?MFILE\b/i,
      /address already in use|\bEADDRINUSE\b|system limit for number of file watchers/i,
    ],
  },
  // A toolchain or container engine that does not work.
  {
    kind: "environment",
    signs: [
      /cannot connect to the docker daemon|is the docker daemon running|docker\.sock: connect/i,
      /segmentation fault|illegal instruction|exec format error|bad cpu type in executable/i,
      /unsupported (engine|platform)/i,
      /error while loading shared libraries|version [`']GLIBC_[\d.]+' not found|NODE_MODULE_VERSION/i,
    ],
  },
  // A name that could not be looked up.
  {
    kind: "transient",
    signs: [
      /could not resolve (host|proxy)|couldn't resolve host|temporary failure in name resolution/i,
      /name resolution failed/i,
      /\bENOTFOUND\b|\bEAI_AGAIN\b|name or service not known|nodename nor servname provided|no such host\b/i,
      /unable to resolve host/i,
    ],
  },
  // A connection that failed, or took too long.
  {
    kind: "transient",
    signs: [
      /\bE(TIMEDOUT|CONNRESET|CONNREFUSED|CONNABORTED|PIPE|HOSTUNREACH|NETUNREACH)\b/i,
      /connection (was )?(reset|refused|closed|timed out|aborted)/i,
      /\b(operation|request|connection|read|gateway|handshake|i\/o) time(d ?out|out)\b/i,
      /timed out (after|waiting)|deadline exceeded/i,
      /socket hang up|network is unreachable|no route to host|failed to connect to|remote end hung up/i,
      /early EOF|unexpected disconnect/i,
    ],
  },
  // A service that is overloaded or down for now.
  {
    kind: "transient",
    signs: [
      /rate limit(ed)?( reached| exceeded|:|$)|too many requests|service unavailable|bad gateway|gateway time-?out/im,
      /\b(http|status|error|code)\b[^\n]{0,20}\b(429|502|503|504)\b/i,
      /\b(429|502|503|504) (too many|bad gateway|service|gateway)/i,
      /temporarily unavailable|temporary failure|overloaded|please try again( later| in)?/i,
    ],
  },
  // A task that contradicts itself or speaks of what is not there.
  {
    kind: "story_invalid",
    signs: [
      /\b(requirement|story|task|spec|criterion|criteria)s? (is|are) ([a-z]+ )?(contradictory|impossible)\b/i,
      /\b(requirement|story|task|spec|criterion|criteria)s? (is|are) ([a-z]+ )?(unclear|ambiguous|incomplete)\b/i,
      /\b(requirements|stories|tasks|specs|criteria) contradict each other/i,
      /does not exist in (this|the) (repository|codebase|project)/i,
    ],
  },
];

/** Lines that speak of an error and do not report one: passed tests, code, assertions with their values. */
const QUOTED: readonly RegExp[] = [
  /^\s*([✓✔√]|PASS\b|ok \d)|\b(PASSED|\.\.\. ok)\s*$/,
  /^\s*(\d+ \||at |(it|test|describe)\()|\bexpect\(|\btoThrow\b/,
  /AssertionError|^\s*[-+]\s+["'{[]|^\s*[-+]?\s*(expected|received|actual)\b/i,
];

const MAX_TEXT = 20_000;

/**
 * Returns the kind of obstacle that the error text of a command points at; `undefined` if it says nothing, as with a
 * test that fails. Only the end of a long text is read: commands say there what went wrong.
 *
 * @example
 * failureKindOf("bash: pnpm: command not found"); // "prerequisite"
 */
export function failureKindOf(errorText: string): FailureKind | undefined {
  const text = errorText
    .slice(-MAX_TEXT)
    .split("\n")
    .filter((line) => !QUOTED.some((pattern) => pattern.test(line)))
    .join("\n");
  return FAMILIES.find(({ signs }) => signs.some((sign) => sign.test(text)))?.kind;
}
