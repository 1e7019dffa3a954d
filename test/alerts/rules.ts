import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const root = path.resolve(import.meta.dirname, '../..');
export const rulesFile = path.join(root, 'deploy/prometheus/rules.yml');
export const runbooksFile = path.join(root, 'docs/runbooks.md');

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.object({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
});

export function readRules() {
  return rules.parse(parse(readFileSync(rulesFile, 'utf8'))).groups.flatMap((group) => group.rules);
}
