import type { UploadedAudience } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { AudienceRecord } from './audience-store.port.ts';

export function uploadedAudienceView({
  audienceId,
  createdAt,
  readyAt,
  expiresAt,
  countries,
  ...record
}: AudienceRecord): UploadedAudience {
  const id = publicId('audience', audienceId);
  const self = `/v1/audiences/${id}`;
  const { name, owner, state, rows, duplicates, rejected, cause, usedBy, usedBySaved, kept } = record;
  return {
    kind: 'list',
    id,
    name,
    owner,
    state,
    users: countries.reduce((sum, { users }) => sum + users, 0),
    countries,
    rows,
    duplicates,
    rejected,
    cause,
    usedBy,
    usedBySaved,
    kept,
    createdAt: createdAt.toISOString(),
    readyAt: readyAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    links: { self, users: `${self}/users`, rejects: `${self}/rejects` },
  };
}
