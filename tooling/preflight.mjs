// Plain old JavaScript on purpose: this file must still parse on the Node it rejects. Node runs TypeScript files,
// such as the examples and most of this folder, since 22.18.
var wanted = [22, 18];
var parts = process.versions.node.split(".").map(Number);
var tooOld = parts[0] < wanted[0] || (parts[0] === wanted[0] && parts[1] < wanted[1]);

if (tooOld) {
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
  console.log("Node " + process.versions.node + " (" + process.platform + " " + process.arch + ")");
}
