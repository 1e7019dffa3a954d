import type { Pool } from 'pg';
import type { TemplateDefinition } from '../../../../../shared/contracts/campaigns/templates.ts';
import type { CampaignScope } from '../../../../../shared/domain/scopes.ts';
import type { Quotas } from '../../../../../shared/domain/quotas.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../../shared/postgres/registry/account-quotas.ts';
import type { Page } from '../../../frame/page.port.ts';
import type { Redefinition } from '../../../frame/redefinition.port.ts';
import { patternOf } from '../../../frame/postgres/name-pattern.ts';
import { pageOf } from '../../../frame/postgres/pages.ts';
import { insertNextRevision, insertRevised } from '../../../frame/postgres/revised-rows.ts';
import { isSeen, seenParamsOf, type SeenParams } from '../../../frame/postgres/seen-campaigns.ts';

export interface TemplateRecord {
  templateId: string;
  revision: number;
  definition: TemplateDefinition;
  createdAt: Date;
  updatedAt: Date;
}

export interface TemplateSearch {
  /** Part of the name, case-insensitive. */
  text?: string | undefined;
  /** Countries and actions of templates that the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

export type TemplateStore = ReturnType<typeof createTemplateStore>;

export function createTemplateStore({ pool, quotas }: { pool: Pool; quotas: Quotas }) {
  const changes = (account: string | null) => ({ account, quotas, of: ['campaignChanges'] as const });

  async function get(templateId: string): Promise<TemplateRecord | undefined> {
    const { rows } = await pool.query<TemplateRecord>(`${selectTemplates} where t.id = $1`, [templateId]);
    return rows[0];
  }

  return {
    get,

    /**
     * Creates a template.
     * @param templateId UUID v7; an existing template is returned unchanged
     * @throws {BeyondQuotaError} if a quota allows no further template
     */
    create: async (templateId: string, definition: TemplateDefinition, account: string | null) => {
      if (!(await get(templateId)))
        await withinQuota(pool, changes(account), (client) =>
          client.query(insertTemplate, [templateId, definition, account]),
        );
      const record = await get(templateId);
      if (!record) throw new Error(`template ${templateId} was not inserted`);
      return record;
    },

    /**
     * Stores the next revision. Has no effect if the revision has changed meanwhile.
     * @throws {BeyondQuotaError} if a quota is exceeded
     */
    redefine: async (
      templateId: string,
      definition: TemplateDefinition,
      revision: number,
      account: string | null,
    ): Promise<Redefinition<TemplateRecord> | undefined> => {
      const { rowCount } = await withinQuota(pool, changes(account), (client) =>
        client.query(nextRevision, [templateId, revision, definition, account]),
      );
      const record = await get(templateId);
      return record && { isWritten: rowCount === 1, record };
    },

    delete: async (templateId: string): Promise<void> => {
      await pool.query('delete from templates where id = $1', [templateId]);
    },

    page: async (
      { text, within }: TemplateSearch,
      limit: number,
      before: string | null,
    ): Promise<Page<TemplateRecord>> => {
      const wanted = { pattern: patternOf(text), before, limit: limit + 1, ...seenParamsOf(within) };
      const { rows } = await pool.query<TemplateRecord>(selectPage.with(wanted));
      return pageOf(rows, limit, ({ templateId }) => templateId);
    },
  };
}

const insertTemplate = insertRevised('templates', 'template');

const nextRevision = insertNextRevision('templates', 'template');

const selectTemplates = `
  select t.id as "templateId", t.revision, r.definition, t.created_at as "createdAt", t.updated_at as "updatedAt"
  from templates t join revisions r on r.template = t.id and r.revision = t.revision`;

interface PageParams extends SeenParams {
  pattern: string | null;
  before: string | null;
  limit: number;
}

/** SQL of the fixed values at a path of a template; variables are excluded. */
const texts = (path: string) => `jsonb_path_query_array(r.definition, '$.campaign.${path} ? (@.type() == "string")')`;

const selectPage = statementOf<PageParams>(
  'templates-page',
  ($) => `${selectTemplates}
  where (${$('pattern')}::text is null or t.name ilike ${$('pattern')})
    and (${$('before')}::uuid is null or t.id < ${$('before')})
    and ${isSeen($, texts('countries[*]'), texts('chain[*].action'))}
  order by t.id desc limit ${$('limit')}`,
);
