// An agent in Temporal's real sandbox, without a server: its history is replayed as a worker does after a crash, whole
// and cut off. The log is the same as outside of the sandbox, byte for byte. worker.ts and client.ts need a server.
const missing = await import("@temporalio/worker").then(
  () => undefined,
  (error: unknown) => String(error),
);
if (missing !== undefined) {
  console.log(`Skipped: Temporal's native library does not load on this machine.\n${missing}`);
  process.exit(0);
}
const { checkReplay } = await import("./check-replay.ts");
console.log(await checkReplay({ long: process.argv.includes("long") }));
