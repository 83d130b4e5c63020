import type { FailureKind } from "./failure-report.ts";

/** The first kind whose words are in the text wins: what is missing before what is broken, what passes last. */
const SIGNS: readonly (readonly [FailureKind, readonly RegExp[]])[] = [
  [
    "prerequisite",
    [
      /command not found|not recognized as an internal|not installed|please run .*(install|login)/i,
      /cannot find module|module ?not ?found|no module named|could not resolve dependency/i,
      /missing (required )?(env|environment|credential|api key|secret|token|config)/i,
      /not logged in|authentication (required|failed)|invalid api key|unauthorized/i,
      /no such (image|package|database|table|container)/i,
    ],
  ],
  [
    "environment",
    [
      /no space left|ENOSPC|read-only file system|EROFS|permission denied|EACCES|EPERM/i,
      /out of memory|ENOMEM|cannot allocate|too many open files|EMFILE/i,
      /cannot connect to the docker daemon|address already in use|EADDRINUSE/i,
      /segmentation fault|illegal instruction|exec format error|unsupported (engine|platform)/i,
    ],
  ],
  [
    "transient",
    [
      /timed? ?out|ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN|connection (reset|refused|closed)|socket hang up/i,
      /temporarily unavailable|temporary failure|try again|network is unreachable/i,
      /rate limit|too many requests|\b(429|502|503|504)\b|service unavailable|bad gateway/i,
      /(index|database) is locked|could not get lock/i,
    ],
  ],
  [
    "story_invalid",
    [
      /(requirement|story|task|acceptance criteri(on|a))s? (is|are) (contradictory|impossible|unclear|ambiguous)/i,
      /does not exist in (this|the) (repository|codebase|project)/i,
    ],
  ],
];

const MAX_TEXT = 20_000;

/**
 * The kind of obstacle a command's error text points at; `undefined` if it says nothing. Only the end of a long text is
 * read: that is where commands say what went wrong.
 *
 * @example
 * failureKindOf("bash: pnpm: command not found"); // "prerequisite"
 */
export function failureKindOf(errorText: string): FailureKind | undefined {
  const text = errorText.slice(-MAX_TEXT);
  return SIGNS.find(([, signs]) => signs.some((sign) => sign.test(text)))?.[0];
}
