# Cloudflare Workers: `workerd serve worker.capnp` after bundling handler.ts to worker.js. Wrangler does both.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(
    name = "main",
    worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-01-01",
    ),
  )],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
