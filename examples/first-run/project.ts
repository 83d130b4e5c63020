/** A very small project with a bug, and the tools an agent has for it. They really read, edit and run. */
export interface Project {
  readonly tools: Readonly<Record<string, (input: Readonly<Record<string, string>>) => unknown>>;
}

export function createProject(): Project {
  const files = new Map([
    ["README.md", "sum(a, b) adds two numbers."],
    ["src/sum.js", "return a - b;"],
    ["test/sum.test.js", "sum(2, 3) is 5"],
  ]);
  return {
    tools: {
      read_file: ({ path = "" }) => files.get(path) ?? `no such file: ${path}`,
      edit_file: ({ path = "", content = "" }) => {
        files.set(path, content);
        return `wrote ${path}`;
      },
      run_tests: () => {
        // oxlint-disable-next-line typescript/no-implied-eval -- running the edited code is what a test does
        const sum = new Function("a", "b", files.get("src/sum.js") ?? "") as (a: number, b: number) => number;
        const passed = sum(2, 3) === 5;
        return {
          exitCode: passed ? 0 : 1,
          stdout: passed ? "1 passed" : `1 failed: sum(2, 3) is ${String(sum(2, 3))}`,
        };
      },
    },
  };
}
