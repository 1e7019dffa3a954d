import type { TracingSettings } from '../configuration/tracing-settings.ts';
import type { OtlpTracingDeps, RunningTracing } from './otlp-tracing.ts';

/** Returns null if tracing is off; its modules are not loaded then. */
export async function startTracing(
  settings: TracingSettings | null,
  deps: OtlpTracingDeps,
): Promise<RunningTracing | null> {
  if (settings === null) return null;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing(settings, deps);
}
