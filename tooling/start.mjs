// Starts a program of this workspace with the sources of our packages: node tooling/start.mjs <file> [...arguments].
// With --built as the first argument, it builds the packages first, and the program imports what is published.
// Every script of package.json goes through here. Plain old JavaScript on purpose: this file must still parse on the
// Node it rejects. Node runs TypeScript files, such as everything it starts, since 22.18.
import { spawn, spawnSync } from "node:child_process";

var wanted = [22, 18];
var parts = process.versions.node.split(".").map(Number);

if (parts[0] < wanted[0] || (parts[0] === wanted[0] && parts[1] < wanted[1])) {
  console.error(
    "This workspace needs Node " +
      wanted.join(".") +
      " or newer, but it runs on Node " +
      process.versions.node +
      ".\n" +
      "It normally brings its own Node 24, as one of the optionalDependencies in package.json.\n" +
      "Run `npx --yes pnpm@12 install` without --no-optional. If none of them fits your system, install Node 24.",
  );
  process.exitCode = 1;
} else if (process.argv[2] === "--built") {
  var code = build();
  if (code !== 0) process.exitCode = code;
  else if (process.argv.length > 3) start(process.argv.slice(3), {});
} else {
  // In the environment, so that every process below imports the sources too.
  var condition = "--conditions=phasekit-source";
  var options = process.env.NODE_OPTIONS === undefined ? "" : process.env.NODE_OPTIONS;
  start(process.argv.slice(2), {
    NODE_OPTIONS: options.indexOf(condition) === -1 ? (options + " " + condition).trim() : options,
  });
}

function build() {
  // A shell, because on Windows the tool is a .cmd file.
  var result = spawnSync("turbo run build --output-logs=errors-only --log-prefix=none", {
    env: Object.assign({}, process.env, { TURBO_TELEMETRY_DISABLED: "1" }),
    shell: true,
    // Some programs print results on stdout.
    stdio: ["ignore", 2, 2],
  });
  return result.status === null ? 1 : result.status;
}

function start(args, variables) {
  var child = spawn(process.execPath, args, { stdio: "inherit", env: Object.assign({}, process.env, variables) });
  // A terminal sends Ctrl-C to both processes. This one waits for the program, which may have something to clean up.
  process.on("SIGINT", function () {});
  process.on("SIGTERM", function () {
    child.kill("SIGTERM");
  });
  child.on("exit", function (code, signal) {
    process.exitCode = signal === null ? code : signal === "SIGINT" ? 130 : 143;
  });
}
