import type { Template } from '../../../../shared/contracts/campaigns/templates.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { TemplateRecord } from './postgres/template-store.ts';

export function templateView({ templateId, revision, definition, createdAt, updatedAt }: TemplateRecord): Template {
  const id = publicId('template', templateId);
  const self = `/v1/templates/${id}`;
  return {
    id,
    revision,
    ...definition,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self, campaigns: `${self}/campaigns` },
  };
}
