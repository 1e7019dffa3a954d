import { apiMetrics } from '../../services/api/frame/metrics.ts';
import { connectorsMetrics } from '../../services/connectors/report/metrics.ts';
import { dispatcherMetrics } from '../../services/dispatcher/metrics.ts';
import { schedulerMetrics } from '../../services/scheduler/report/metrics.ts';
import { triggerMetrics } from '../../services/trigger/report/metrics.ts';
import { workerMetrics } from '../../services/worker/report/metrics.ts';
import type { MetricTable } from '../../shared/ports/meter.ts';
import { consumerMetrics, processMetrics, readMetrics } from '../../shared/runtime/meter/process-metrics.ts';

export const metricTables: readonly { of: string; metrics: MetricTable }[] = [
  { of: 'Every process', metrics: processMetrics },
  { of: 'Workers and dispatchers: their topics', metrics: consumerMetrics },
  { of: 'API and trigger: reads from other services', metrics: readMetrics },
  { of: 'API', metrics: apiMetrics },
  { of: 'Trigger', metrics: triggerMetrics },
  { of: 'Worker', metrics: workerMetrics },
  { of: 'Scheduler', metrics: schedulerMetrics },
  { of: 'Dispatcher', metrics: dispatcherMetrics },
  { of: 'Connectors', metrics: connectorsMetrics },
];
