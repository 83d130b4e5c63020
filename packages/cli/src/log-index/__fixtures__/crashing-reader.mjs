import process from "node:process";
import { setTimeout } from "node:timers";
import { parentPort } from "node:worker_threads";

// Speaks the protocol of the real worker; the name of a log says what happens.
parentPort.on("message", ({ log: { path } }) => {
  if (path.includes("crash")) throw new Error(`crashed on ${path}`);
  if (path.includes("exit")) process.exit(1);
  if (path.includes("refused"))
    parentPort.postMessage({ error: { code: "UNREADABLE_LOG", message: "refused", hint: "none" } });
  else
    setTimeout(
      () => parentPort.postMessage({ summary: { format: path, title: path, runs: [] } }),
      path.includes("slow") ? 50 : 0,
    );
});
