import type { TracingSettings } from '../configuration/tracing-settings.ts';
import type { OtlpTracingDeps, RunningTracing } from './otlp-tracing.ts';

/** Null where it is off: then what it would need is not even loaded. */
export async function startTracing(
  settings: TracingSettings | null,
  deps: OtlpTracingDeps,
): Promise<RunningTracing | null> {
  if (settings === null) return null;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing(settings, deps);
}
