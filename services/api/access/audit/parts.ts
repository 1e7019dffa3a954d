import type { BaseParts } from '../../frame/parts.ts';
import { createAuditLog } from './postgres/audit-log.ts';

export function createAuditParts({ pool }: Pick<BaseParts, 'pool'>) {
  return { audit: createAuditLog({ pool }) };
}
