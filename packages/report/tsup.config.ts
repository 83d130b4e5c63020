import { library } from "@phasekit/tooling/tsup";
import { ASSETS, pageAssetsModule } from "./page-assets.ts";

export default library({
  entries: ["index", "node"],
  plugins: [
    {
      name: "page-assets",
      setup: (build) => {
        build.onResolve({ filter: new RegExp(`^${ASSETS}$`) }, ({ path }) => ({ path, namespace: "page-assets" }));
        build.onLoad({ filter: /.*/, namespace: "page-assets" }, () => ({
          contents: pageAssetsModule(),
          loader: "js",
        }));
      },
    },
  ],
});
