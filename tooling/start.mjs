// Starts a program of this workspace with the sources of our packages: node tooling/start.mjs <file> [...arguments].
// With --built as the first argument, it builds the packages first, and the program imports what is published.
// Every script of package.json goes through here. Plain old JavaScript on purpose: this file must still parse on the
// Node it rejects. Node runs TypeScript files, such as everything it starts, since 22.18.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

var wanted = [22, 18];
var parts = process.versions.node.split(".").map(Number);

var isOld = parts[0] < wanted[0] || (parts[0] === wanted[0] && parts[1] < wanted[1]);
// Scripts of package.json run on the Node of the workspace; a command typed by hand runs on the machine's.
var bin = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
var ours = bin + (process.platform === "win32" ? "/node.cmd" : "/node");

if (isOld && existsSync(ours) && process.env.PHASEKIT_RESTARTED === undefined) {
  restart();
} else if (isOld) {
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

function restart() {
  var separator = process.platform === "win32" ? ";" : ":";
  var variables = { PHASEKIT_RESTARTED: "1", PATH: bin + separator + process.env.PATH };
  run(ours, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), variables);
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
  run(process.execPath, args, variables);
}

function run(program, args, variables) {
  var child = spawn(program, args, {
    stdio: "inherit",
    env: Object.assign({}, process.env, variables),
    shell: program.endsWith(".cmd"), // as Windows asks for
  });
  // A terminal sends Ctrl-C to both processes. This one waits for the program, which may have something to clean up.
  process.on("SIGINT", function () {});
  process.on("SIGTERM", function () {
    child.kill("SIGTERM");
  });
  child.on("exit", function (code, signal) {
    process.exitCode = signal === null ? code : signal === "SIGINT" ? 130 : 143;
  });
}
