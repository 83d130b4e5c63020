import { bash, call, text, times } from "../case-builders.ts";
import { clockOf, fires, idOf, type Kind, staysSilent, wordOf } from "./kind.ts";

const failed = { ok: false } as const;

/** Servers, jobs, databases, notebooks: what waits, counts, retries and pages. */
export const operations: readonly Kind[] = [
  fires(
    "a wait for something that does not come",
    times(12, () => call("gh_run_view", { run: 991 }, "status: queued")),
    times(12, (n) => call("aws_ecs_describe_tasks", { cluster: "c", tasks: ["t"] }, { tasks: [{ lastStatus: "PENDING" }], ResponseMetadata: { RequestId: idOf(n), HTTPHeaders: { date: `Mon, 01 Jun 2026 ${clockOf(n)} GMT` } } })),
    times(12, () => [bash("sleep 30"), bash("cat /tmp/done.flag", "cat: /tmp/done.flag: No such file or directory", { ok: false, exit_code: 1 })]),
    times(14, (n) => call("databricks_get_run", { run_id: 5 }, `{"state":{"life_cycle_state":"PENDING"},"queried_at":${String(1_760_000_000 + n * 13)}}`)),
    times(10, () => call("airflow_dag_state", { dag: "etl", run: "r1" }, "running")),
  ),
  fires(
    "a query that always gives the same rows",
    times(5, () => call("execute_sql", { sql: "SELECT id, total FROM orders WHERE total > 100" }, [{ id: 4, total: 120 }])),
    times(6, (n) => call("run_query", { query: "select 1 from t" }, { rows: [[1]], stats: { elapsed_ms: n * 3 + 1, bytes: 128 } })),
    times(5, () => call("postgres_query", { sql: "\\d users" }, "id integer\nname text")),
    times(5, (n) => call("bigquery", { sql: "select count(*) from logs" }, `{"jobId":"${idOf(n)}","rows":[{"f0_":0}]}`)),
  ),
  fires(
    "a statement that keeps failing",
    times(6, (n) => call("execute_sql", { sql: `SELECT ${wordOf(n)} FROM customers` }, `ERROR: column "${wordOf(n)}" does not exist`, failed)),
    times(6, () => call("python_repl", { code: "import pandas as pd" }, "ModuleNotFoundError: No module named 'pandas'")),
    times(6, (n) => call("jupyter_execute", { cell: `df.groupby('${wordOf(n)}').sum()` }, { error: { ename: "NameError", evalue: "name 'df' is not defined" } }, failed)),
    times(5, () => bash("terraform plan", "Error: Backend initialization required, please run \"terraform init\"", { ok: false, exit_code: 1 })),
    times(7, (n) => bash(["npm ci", "npm install", "npm i --force", "npm i --legacy-peer-deps", "yarn", "pnpm i", "bun install"][n] ?? "", "ENOSPC: no space left on device", { ok: false, exit_code: 1 })),
  ),
  fires(
    "started again and again, and down again each time",
    times(5, () => [bash("docker compose up -d", "Started"), bash("docker compose ps", "api  Exited (1)")]),
    times(5, () => [call("restart_service", { name: "nginx" }, "restarted"), call("service_status", { name: "nginx" }, "failed (Result: exit-code)")]),
    times(5, (n) => [call("kubectl_rollout_restart", { deployment: "web" }, "deployment.apps/web restarted"), call("kubectl_get_pods", {}, `web-${idOf(n).slice(0, 5)}  0/1  CrashLoopBackOff  ${String(n)}s`)]),
    times(5, () => [call("start_container", { image: "api" }, "started"), call("container_logs", { image: "api" }, "panic: missing DATABASE_URL")]),
  ),
  fires(
    "the same cell, the same crash",
    times(5, (n) => call("run_cell", { notebook: "a.ipynb", index: 4 }, `---------------------------------------------------------------------------\nValueError                                Traceback (most recent call last)\nCell In[${String(n + 9)}], line 3\nValueError: shapes (3,) and (4,) not aligned`)),
    times(5, (n) => call("code_interpreter", { code: "train(model)" }, `Epoch 1/10\nRuntimeError: CUDA out of memory. Tried to allocate 2.${String(n)}0 GiB`, failed)),
    times(5, () => call("ipython", { code: "%run sim.py" }, "Segmentation fault (core dumped)", { ok: false, exit_code: 139 })),
    times(6, (n) => call("execute_python", { script: "main.py" }, { stdout: "", stderr: `[${clockOf(n)}] ERROR root: KeyError: 'id'`, returncode: 1 })),
  ),
  staysSilent(
    "a wait that shows where it is",
    times(20, (n) => call("gh_run_view", { run: 991 }, `status: in_progress\njobs done: ${String(n)} of 24`)),
    times(15, (n) => call("get_import_job", { id: "j" }, { status: "RUNNING", processed: n * 412, total: 9000 })),
    times(12, (n) => call("terraform_show", { run: "r" }, `aws_db_instance.main: Still creating... [${String(n)}m10s elapsed]\ncreated: ${String(n)} resources`)),
    times(10, (n) => [bash("sleep 60"), bash("tail -n 2 train.log", `epoch ${String(n + 1)} loss 0.${String(98 - n * 3)}`)]),
    times(14, (n) => call("check_copy", { task: "c1" }, `${String(n * 7)}% copied`)),
    times(11, (n) => call("queue_depth", { queue: "mails" }, String(5000 - n * 430))),
  ),
  staysSilent(
    "a wait that ends",
    [...times(3, () => call("deployment_status", { id: "d" }, "pending")), ...times(2, () => call("deployment_status", { id: "d" }, "building")), call("deployment_status", { id: "d" }, "ready"), call("open_url", { url: "https://d.test" }, "200 OK")],
    [...times(3, (n) => [bash(`sleep ${String(2 ** n)}`), bash("curl -sf localhost:8080/healthz", "", { ok: false, exit_code: 7 })]), bash("sleep 8"), bash("curl -sf localhost:8080/healthz", "ok")],
    [call("start_job", { name: "x" }, { job: "7" }), ...times(3, () => call("job_status", { job: "7" }, "RUNNING")), call("job_status", { job: "7" }, "SUCCEEDED"), call("job_result", { job: "7" }, "42")],
    [...times(2, () => call("fetch_rates", { base: "EUR" }, "429 Too Many Requests", failed)), call("sleep", { seconds: 20 }, "ok"), call("fetch_rates", { base: "EUR" }, { USD: 1.1 })],
  ),
  staysSilent(
    "paging by cursor, offset or token",
    times(12, (n) => call("list_issues", { repo: "a/b", cursor: n === 0 ? null : idOf(n) }, { nodes: [{ number: n * 2 }, { number: n * 2 + 1 }], pageInfo: { endCursor: idOf(n + 1), hasNextPage: true } })),
    times(15, (n) => call("execute_sql", { sql: `select * from events order by id limit 100 offset ${String(n * 100)}` }, `${String(n * 100 + 1)}|${wordOf(n)}`)),
    times(9, (n) => call("s3_list_objects", { bucket: "b", ContinuationToken: wordOf(n) }, { Contents: [{ Key: wordOf(n * 3) }], NextContinuationToken: wordOf(n + 1) })),
    times(10, (n) => call("fetch", { url: `https://api.test/items?page=${String(n + 1)}` }, `[{"id":${String(n * 30)}}]`)),
    times(8, (n) => call("read_log_chunk", { file: "big.log", start: n * 65_536, length: 65_536 }, `${clockOf(n)} ${wordOf(n)} started\n${clockOf(n + 1)} ${wordOf(n + 3)} ended`)),
    times(7, (n) => call("elastic_scroll", { scroll_id: "DXF1ZXJ5" }, { hits: [{ _id: wordOf(n) }] })),
  ),
  staysSilent(
    "the same statement over many tables, hosts, files",
    times(14, (n) => call("describe_table", { table: wordOf(n) }, `${wordOf(n)}_id integer\nname text`)),
    times(12, (n) => call("ssh_exec", { host: `web-${String(n)}`, command: "uptime" }, ` ${clockOf(n)} up 3 days, load average: 0.${String(n)}`)),
    times(16, (n) => bash(`convert raw/${wordOf(n)}.tif out/${wordOf(n)}.jpg`, "")),
    times(12, (n) => call("create_index", { table: wordOf(n), column: "id" }, "CREATE INDEX")),
    times(11, (n) => call("restart_service", { name: wordOf(n) }, "restarted")),
    times(18, (n) => call("upsert_vector", { id: idOf(n), text: wordOf(n) }, { upserted: 1 })),
  ),
  staysSilent(
    "retries that vary and succeed",
    [bash("pip install torch", "Read timed out", { ok: false, exit_code: 1 }), bash("sleep 5"), bash("pip install torch", "Read timed out", { ok: false, exit_code: 1 }), bash("sleep 10"), bash("pip install torch", "Successfully installed torch-2.9"), bash("python train.py", "epoch 1")],
    [call("execute_sql", { sql: "select nme from users" }, 'column "nme" does not exist', failed), call("describe_table", { table: "users" }, "id, name"), call("execute_sql", { sql: "select name from users" }, "Ann")],
    [...times(2, (n) => call("call_api", { path: `/v${String(n + 1)}/users` }, "404 Not Found", failed)), call("read_docs", { page: "api" }, "use /api/v3"), call("call_api", { path: "/api/v3/users" }, "[]")],
    [call("python", { code: "import numpy" }, "ModuleNotFoundError: numpy", failed), call("bash", { command: "pip install numpy" }, "ok"), call("python", { code: "import numpy" }, ""), call("python", { code: "numpy.zeros(3)" }, "array([0., 0., 0.])"), call("python", { code: "numpy.zero(3)" }, "AttributeError: zero", failed), call("python", { code: "numpy.ones(3)" }, "array([1., 1., 1.])")],
  ),
  staysSilent(
    "a notebook and a shell used step by step",
    times(12, (n) => call("python_repl", { code: `x = x * ${String(n + 2)}\nprint(x)` }, String(n * n + 7))),
    times(10, (n) => call("jupyter_execute", { cell: `df["${wordOf(n)}"].mean()` }, `${String(n)}.${String(n * 7)}`)),
    times(9, (n) => call("run_code", { language: "python", code: `plt.plot(${wordOf(n)})\nplt.savefig("${wordOf(n)}.png")` }, "")),
    times(8, (n) => [call("gdb_command", { command: "step" }, `${String(40 + n)}\t${wordOf(n)}();`), call("gdb_command", { command: "print i" }, `$${String(n + 1)} = ${String(n * 2)}`)]),
    times(10, (n) => call("optimizer_step", {}, `iteration ${String(n)}: objective ${String(100 - n * 4)}.2`)),
  ),
  staysSilent(
    "the same check at each stage of a change",
    times(6, (n) => [call("kubectl_apply", { file: `${wordOf(n)}.yaml` }, `deployment.apps/${wordOf(n)} created`), call("kubectl_get_pods", {}, `${wordOf(n)} 1/1 Running`)]),
    times(7, (n) => [call("execute_sql", { sql: `alter table t add ${wordOf(n)} text` }, "ALTER TABLE"), call("describe_table", { table: "t" }, Array.from({ length: n + 2 }, (_, k) => wordOf(k)).join(", "))]),
    times(6, (n) => [bash(`ansible-playbook ${wordOf(n)}.yml`, `ok=${String(n + 2)} changed=1`), bash("systemctl is-active app", "active")]),
    times(5, (n) => [text(`Now migration ${wordOf(n)}.`), call("run_migration", { name: wordOf(n) }, "applied"), call("migration_status", {}, `${String(n + 1)} applied, ${String(5 - n)} pending`)]),
  ),
];
