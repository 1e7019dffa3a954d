export interface ActionTypeFile {
  url: string;
  class: 'A' | 'B' | 'C' | 'D';
  statusUrl?: string;
  appliesLateSeconds?: number;
  answerForm: 'full' | 'compact';
  understandsTest?: boolean;
  timeoutMs: number;
  concurrency?: number;
  batchSize?: number;
  maxAttempts?: number;
  retry?: { firstDelayMs: number; maxDelayMs: number };
  receipts?: true;
  receiptsSecretEnv?: string;
  check?: true;
}

export interface EngineConfigFile {
  countries: string[];
  segmentation: { url: string; pageSize: number; timeoutMs?: number };
  actionTypes: Record<string, ActionTypeFile>;
  partitionsPerShard: number;
  replicationFactor?: number;
}

/** Returns a configuration whose endpoints are those of the sandbox. */
export function engineConfigFor(sandboxUrl: string, served: string[], timeoutMs: number): EngineConfigFile {
  return {
    countries: served,
    // Small pages: feeding takes long enough to be interrupted.
    segmentation: { url: `${sandboxUrl}/segmentation`, pageSize: 100 },
    actionTypes: {
      'award-reward': { url: `${sandboxUrl}/rewards/v1/batches`, class: 'A', answerForm: 'full', timeoutMs },
      'award-points': { url: `${sandboxUrl}/points/v1/batches`, class: 'B', answerForm: 'full', timeoutMs },
      'send-message': { url: `${sandboxUrl}/messages/v1/batches`, class: 'B', answerForm: 'compact', timeoutMs },
    },
    partitionsPerShard: 4,
  };
}
