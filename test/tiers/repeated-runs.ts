import type { Result } from './results.ts';

/** One run of a repeated test file. */
export interface RepeatedRun {
  seconds: number;
  /** Names of the tests that failed, or a reason if none did and the run failed; empty if it passed. */
  failures: readonly string[];
}

/** A run in which no test passed has shown nothing, whatever its exit code is. */
export function judgeRun(code: number | null, results: readonly Result[]): string[] {
  const failed = results.flatMap((line) => {
    if (line.kind === 'test' && line.state === 'failed') return [line.name];
    if (line.kind === 'file' && line.failed) return [`${line.file}: ${line.why?.split('\n', 1)[0] ?? 'did not load'}`];
    return [];
  });
  if (failed.length > 0) return failed;
  if (!results.some((line) => line.kind === 'test' && line.state === 'passed')) return ['no test has passed'];
  return code === 0 ? [] : [`the run ended with ${code ?? 'a signal'}`];
}

export function renderRun(index: number, times: number, { seconds, failures }: RepeatedRun): string {
  const verdict = failures.length === 0 ? 'passed' : 'FAILED';
  const head = `run ${String(index + 1).padStart(String(times).length)} of ${times}  ${verdict}  ${seconds.toFixed(0).padStart(4)} s`;
  return [head, ...failures.map((name) => `    ${name}`)].join('\n');
}

/** The rate of failures, and how often each test failed. */
export function renderRate(file: string, load: number, runs: readonly RepeatedRun[]): string {
  const failed = runs.filter(({ failures }) => failures.length > 0).length;
  const percent = Math.round((failed / Math.max(1, runs.length)) * 100);
  const names = Map.groupBy(
    runs.flatMap(({ failures }) => failures),
    (name) => name,
  );
  const lines = [...names].map(([name, each]) => `${String(each.length).padStart(4)} ×  ${name}`);
  return [`${file}, load ${load}: ${failed} of ${runs.length} runs failed (${percent} %)`, ...lines].join('\n');
}
