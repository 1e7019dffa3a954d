import { templateRevision } from '../../../../shared/contracts/campaigns/revisions.ts';
import { template, templateDefinition } from '../../../../shared/contracts/campaigns/templates.ts';
import { entityTag, requireRevision } from '../../frame/if-match.ts';
import type { Revisions } from '../../revisions/revisions.port.ts';
import type { RevisionRoutesDeps } from '../../revisions/revision-routes.ts';
import type { TemplateRecord } from './postgres/template-store.ts';
import { redefineTemplate, requireTemplate, type TemplateRoutesDeps } from './template-routes.ts';
import { templateView } from './template-view.ts';

export function revisionsOfTemplates(
  deps: TemplateRoutesDeps & { revisions: Revisions },
): RevisionRoutesDeps<TemplateRecord> {
  return {
    revisions: () => deps.revisions.template,
    shapes: { definition: templateDefinition, revision: templateRevision, restored: template },
    checks: 'It is checked like a change. Campaigns that were created from the template are unchanged.',
    load: (id) => requireTemplate(id, deps.templates),
    requireChangeable: requireRevision,
    restore: async (request, before, definition) => ({
      record: await redefineTemplate(request, before, definition, deps),
      warnings: [],
    }),
    view: ({ record }) => ({ etag: entityTag(record.revision), body: templateView(record) }),
  };
}
