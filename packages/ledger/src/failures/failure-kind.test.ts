import { describe, expect, it } from "vitest";
import type { FailureKind } from "./failure-report.ts";
import { failureKindOf } from "./failure-kind.ts";

/** What programs print, by family. */
const PRINTED: readonly [family: string, kind: FailureKind, texts: readonly string[]][] = [
  [
    "credentials",
    "prerequisite",
    [
      "Token expired",
      "error: The provided token has expired. (Service: STS, Status Code: 400)",
      "An error occurred (ExpiredToken) when calling the ListBuckets operation: The security token " +
        "included in the request is expired",
      "JsonWebTokenError: jwt expired",
      "remote: Invalid username or password.\nfatal: Authentication failed for 'https://github.com/a/b.git/'",
      "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
      "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.",
      "gh: Bad credentials (HTTP 401)",
      "npm error code E401\nnpm error Incorrect or missing password.\nnpm error 401 Unauthorized - GET " +
        "https://registry.npmjs.org/x",
      'Unable to locate credentials. You can configure credentials by running "aws configure".',
      "You are not logged in to any GitHub hosts. To log in, run: gh auth login",
      "Error: invalid_grant: Token has been expired or revoked.",
      "denied: pull access denied for acme/app, repository does not exist or may require 'docker login'",
      "SSL certificate problem: certificate has expired",
    ],
  ],
  [
    "missing programs and packages",
    "prerequisite",
    [
      "bash: pnpm: command not found",
      "sh: 1: tsc: not found",
      "'pnpm' is not recognized as an internal or external command,\noperable program or batch file.",
      "Error: Cannot find module 'vitest'\nRequire stack:\n- /app/index.js",
      "ModuleNotFoundError: No module named 'requests'",
      "Error: spawn docker ENOENT",
      'exec: "gcc": executable file not found in $PATH',
      "E: Unable to locate package libfoo-dev",
      'psql: error: FATAL:  database "app_test" does not exist',
      "Error response from daemon: No such container: app",
      "ERROR: No matching distribution found for torch==9.9",
    ],
  ],
  [
    "missing settings",
    "prerequisite",
    [
      "Error: Missing required environment variable DATABASE_URL",
      "OPENAI_API_KEY is not set",
      "Error: missing credentials for registry",
      "The OPENAI_API_KEY environment variable is missing or empty",
    ],
  ],
  [
    "damaged repository",
    "environment",
    [
      "error: object file .git/objects/3b/18e512dba79e4c8300dd08aeb37f8e728b8dad is empty\nfatal: " +
        "loose object 3b18e512dba79e4c8300dd08aeb37f8e728b8dad (stored in .git/objects/3b/18e5) is " +
        "corrupt",
      "error: inflate: data stream error (incorrect header check)\nerror: unable to unpack 3b18e512 header",
      "fatal: bad object HEAD",
      "error: bad signature 0x00000000\nfatal: index file corrupt",
      "fatal: .git/index: index file smaller than expected",
      "error: packfile .git/objects/pack/pack-1f2e.pack is truncated",
      "error: sha1 mismatch for .git/objects/aa/bb",
      "fatal: unable to read tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
      "missing blob 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
      "error: refs/heads/main does not point to a valid object!\nerror: cannot lock ref " +
        "'refs/heads/main': unable to resolve reference 'refs/heads/main': reference broken",
      "error: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
      "fatal: cannot lock ref",
    ],
  ],
  [
    "not a working copy",
    "environment",
    [
      "fatal: not a git repository (or any of the parent directories): .git",
      "fatal: this operation must be run in a work tree",
      "fatal: '/work/x' is not a working tree",
      "abort: no repository found in '/work/x' (.hg not found)",
      "svn: E155007: '/work/x' is not a working copy",
      "fatal: detected dubious ownership in repository at '/work/x'",
      "fatal: 'main' is already checked out at '/work/y'",
    ],
  ],
  [
    "disk and permissions",
    "environment",
    [
      "ENOSPC: no space left on device, write",
      "touch: cannot touch 'a': Read-only file system",
      "mkdir: cannot create directory '/x': Permission denied",
      "Error: EACCES: permission denied, open '/etc/x'",
      "cp: error writing 'b': Disk quota exceeded",
      "cat: f: Input/output error",
    ],
  ],
  [
    "memory, handles, ports",
    "environment",
    [
      "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
      "Error: EMFILE: too many open files, watch",
      "Error: listen EADDRINUSE: address already in use :::3000",
      "fork: Cannot allocate memory",
      "System limit for number of file watchers reached, watch '/app'",
    ],
  ],
  [
    "toolchain",
    "environment",
    [
      "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      "Segmentation fault (core dumped)",
      "exec /app: exec format error",
      "./app: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./app)",
      "node: error while loading shared libraries: libssl.so.3: cannot open shared object file",
    ],
  ],
  [
    "name lookup",
    "transient",
    [
      "fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com",
      "curl: (6) Could not resolve host: registry.npmjs.org",
      "ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
      "npm error code ENOTFOUND\nnpm error network request to https://registry.npmjs.org/x failed",
      "Error: getaddrinfo EAI_AGAIN registry.npmjs.org",
      "dial tcp: lookup proxy.golang.org: no such host",
      "socket.gaierror: [Errno -2] Name or service not known",
    ],
  ],
  [
    "connection",
    "transient",
    [
      "npm ERR! network request failed, reason: connect ETIMEDOUT",
      "curl: (7) Failed to connect to localhost port 5432 after 0 ms: Connection refused",
      "error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF",
      "fatal: the remote end hung up unexpectedly",
      "Error: socket hang up",
      "context deadline exceeded",
      "connect: Network is unreachable",
    ],
  ],
  [
    "overload",
    "transient",
    [
      "HTTP 503 Service Unavailable",
      "Error: Request failed with status code 429",
      "toomanyrequests: You have reached your pull rate limit. HTTP status 429",
      "502 Bad Gateway",
      "The service is temporarily unavailable. Please try again later.",
    ],
  ],
  [
    "locks of others",
    "transient",
    [
      "sqlite3.OperationalError: database is locked",
      "fatal: Unable to create '/work/.git/index.lock': File exists.\n\nAnother git process seems to " +
        "be running in this repository",
      "error: cannot lock ref 'refs/remotes/origin/main': is at 2f1c9ab but expected 8e59350",
      "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 99",
      "ERROR: deadlock detected",
    ],
  ],
  [
    "the task",
    "story_invalid",
    [
      "The acceptance criteria are contradictory",
      "The requirements contradict each other: both",
      "The task is impossible as written",
      "`src/legacy/auth.ts` does not exist in this repository",
    ],
  ],
];

/** Texts that say nothing about an obstacle. */
const SILENT: readonly string[] = [
  "",
  "AssertionError: expected 1 to be 2",
  "AssertionError: expected 'Token expired' to be 'Token valid'",
  "  ✓ rejects a token that has expired (3 ms)",
  "ok 4 - answers permission denied to guests",
  "test auth::refuses_expired_token ... ok",
  "tests/test_net.py::test_connection_refused PASSED",
  'it("says not a git repository", () => {',
  '- "Could not resolve host"\n+ "ok"',
  '    Expected: "rate limit exceeded"\n    Received: "fine"',
  "Tests  429 passed (503)",
  "src/server.ts:502:17 - error TS2345: Argument of type 'string'",
  "3 files changed, 504 insertions(+)",
  "SyntaxError: Unexpected token '}'",
  "Unexpected token o in JSON at position 1",
  "error TS2304: Cannot find name 'token'.",
  "FAIL src/a.test.ts > adds numbers\nTypeError: undefined is not a function",
  "Merge conflict in src/a.ts. Automatic merge failed; fix conflicts and then commit the result.",
  "error: pathspec 'x' did not match any file(s) known to git",
  "Your branch is ahead of 'origin/main' by 2 commits.",
  "nothing to commit, working tree clean",
  "Compiling token v1.0.0",
  "warning: unused variable: `timeout`",
  "The lock file is up to date.",
  "Refactor the connection pool",
];

describe("failureKindOf", () => {
  it.each(PRINTED.flatMap(([family, kind, texts]) => texts.map((text) => ({ family, kind, text }))))(
    "$family: $text is $kind",
    ({ kind, text }) => {
      expect(failureKindOf(text)).toBe(kind);
    },
  );

  it.each(SILENT)("%j says nothing", (text) => {
    expect(failureKindOf(text)).toBeUndefined();
  });

  it("failureKindOf reads the end of a long output", () => {
    expect(failureKindOf(`${"line\n".repeat(100_000)}sh: 1: tsc: command not found`)).toBe("prerequisite");
  });
});
