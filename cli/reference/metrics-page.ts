import type { MetricTable } from '../../shared/ports/meter.ts';
import { metricTables } from './metric-tables.ts';
import { code, sentence } from './words.ts';

export function metricsPage(): string {
  const sections = metricTables.map(
    ({ of, metrics }) => `## ${of}\n\n${Object.values(metrics).map(metricLine).join('\n')}`,
  );
  return `# Metrics: every one

Each line has, in brackets, the kind and the labels of the metric. A metric counts in its own process,
from 0 at the start; \`action\` and \`country\` name a shard. [Operations](../operations.md#metrics)
describes ports, boards and alerts.

${sections.join('\n\n')}
`;
}

function metricLine({ name, kind, help, labelNames = [] }: MetricTable[string]): string {
  const labels = labelNames.length === 0 ? '' : `; ${labelNames.map(code).join(', ')}`;
  return `- \`${name}\` (${kind}${labels}): ${sentence(help)}`;
}
