// Starts a program of this workspace: node tooling/start.mjs <file> [...arguments]. Every script of package.json goes
// through here. Plain old JavaScript on purpose: this file must still parse on the Node it rejects. Node runs TypeScript
// files, such as everything it starts, since 22.18.
import { spawn } from "node:child_process";

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
} else {
  start(process.argv.slice(2));
}

function start(args) {
  // In the environment, so that every process below imports the sources of our packages too.
  var condition = "--conditions=phasekit-source";
  var options = process.env.NODE_OPTIONS === undefined ? "" : process.env.NODE_OPTIONS + " ";
  var env = Object.assign({}, process.env, {
    NODE_OPTIONS: options.indexOf(condition) === -1 ? options + condition : options.trim(),
    TURBO_TELEMETRY_DISABLED: "1",
  });
  var child = spawn(process.execPath, args, { stdio: "inherit", env: env });
  // A terminal sends Ctrl-C to both. This one waits for the program, which may have something to clean up.
  process.on("SIGINT", function () {});
  process.on("SIGTERM", function () {
    child.kill("SIGTERM");
  });
  child.on("exit", function (code, signal) {
    if (signal === null) {
      process.exitCode = code;
    } else {
      process.exitCode = signal === "SIGINT" ? 130 : 143;
    }
  });
}
