import { relative } from "node:path";
import type { Reporter, TestModule, TestSpecification } from "vitest/node";
import { root } from "./workspace.ts";

interface Counts {
  files: number;
  passed: number;
  failed: number;
  waiting: number;
}

/** Prints one line per package when the last of its test files ends; vitest's own reporter prints the failures. */
export function packageReporter(print: (line: string) => void = console.log): Reporter {
  const countsByPackage = new Map<string, Counts>();
  return {
    onTestRunStart: (specifications: readonly TestSpecification[]) => {
      countsByPackage.clear();
      for (const { moduleId } of specifications) countsOf(countsByPackage, moduleId).waiting += 1;
    },
    onTestModuleEnd: (module: TestModule) => {
      const counts = countsOf(countsByPackage, module.moduleId);
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") counts.passed += 1;
        if (state === "failed") counts.failed += 1;
      }
      // A file that does not load has no tests to fail.
      if (module.errors().length > 0) counts.failed += 1;
      counts.files += 1;
      counts.waiting -= 1;
      if (counts.waiting > 0) return;
      const { passed, failed, files } = counts;
      print(
        `${packageOf(module.moduleId)}: ${String(passed)} passed, ${String(failed)} failed (${String(files)} files)`,
      );
    },
  };
}

function countsOf(countsByPackage: Map<string, Counts>, file: string): Counts {
  const name = packageOf(file);
  const counts = countsByPackage.get(name) ?? { files: 0, passed: 0, failed: 0, waiting: 0 };
  countsByPackage.set(name, counts);
  return counts;
}

/** The folder of a package below `packages`, or the folder at the root. */
function packageOf(file: string): string {
  const path = relative(root, file).replaceAll("\\", "/");
  return /^packages\/((?:adapters\/)?[^/]+)\//.exec(path)?.[1] ?? path.split("/")[0] ?? path;
}
