import type { MetricTable } from '../../shared/ports/meter.ts';
import { metricTables } from './metric-tables.ts';
import { code, sentence } from './words.ts';

export function metricsPage(): string {
  const sections = metricTables.map(
    ({ of, metrics }) => `## ${of}\n\n${Object.values(metrics).map(metricLine).join('\n')}`,
  );
  return `# Metrics: every one

In brackets: its kind, and its labels. Each counts in its own process and begins at 0 when it starts;
\`action\` and \`country\` name a shard. Where they are served, boards and alerts: [operations](../operations.md#metrics).

${sections.join('\n\n')}
`;
}

function metricLine({ name, kind, help, labelNames = [] }: MetricTable[string]): string {
  const labels = labelNames.length === 0 ? '' : `; ${labelNames.map(code).join(', ')}`;
  return `- \`${name}\` (${kind}${labels}): ${sentence(help)}`;
}
