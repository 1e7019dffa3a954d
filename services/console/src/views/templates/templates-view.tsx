import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listTemplatesOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteTemplate } from '#client/sdk.gen.ts';
import type { Template } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { RevisionsDialog } from './revisions-dialog.tsx';
import { UseDialog } from './use-dialog.tsx';
import { variablesInWords } from './variable-schema.ts';
import { WriteDialog } from './write-dialog.tsx';

const route = getRouteApi('/templates');
const pageSize = 50;

type Asked = { verb: 'new' } | { verb: 'use' | 'change' | 'revisions' | 'delete'; template: Template };

/** View of the templates of campaigns, with their variables. */
export function TemplatesView() {
  const { text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('manager');
  const [asked, setAsked] = useState<Asked>();
  const query = { limit: pageSize, ...(text !== undefined && { q: text }), ...(cursor !== undefined && { cursor }) };
  const templates = useQuery({ ...listTemplatesOptions({ query }), placeholderData: keepPreviousData });
  const items = templates.data?.items;
  const newTemplate = (
    <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setAsked({ verb: 'new' })}>
      New template
    </Button>
  );
  return (
    <Page title="Templates" actions={newTemplate}>
      <section className="panel" aria-label="Templates">
        <header className="pl-2.5">
          <SearchField
            placeholder="Name"
            value={text ?? ''}
            onSearch={(wanted) => void navigate({ search: wanted === '' ? {} : { text: wanted } })}
          />
        </header>
        <ListView
          what="The templates"
          query={templates}
          items={items}
          empty={
            text === undefined ? (
              <Empty icon="campaign" title="No templates yet">
                A template is a campaign in which some values are chosen each time: a reward, a segment, a day. Write
                one with the button above; “New campaign…” beside it then makes a draft in which only these values are
                missing.
              </Empty>
            ) : (
              <NoMatch title="No template matches" onClear={() => void navigate({ search: {} })}>
                Called “{text}”.
              </NoMatch>
            )
          }
        >
          <TemplateTable templates={items} refusal={refusal} onAsk={setAsked} />
          {items && (
            <Paging
              cursor={cursor}
              next={templates.data?.next}
              onGo={(to) => void navigate({ search: { ...(text !== undefined && { text }), cursor: to } })}
            >
              {countOf(items.length, 'template')}, newest first
            </Paging>
          )}
        </ListView>
      </section>
      {asked && <AskedDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </Page>
  );
}

function AskedDialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  switch (asked.verb) {
    case 'new':
      return <WriteDialog template={null} onClose={onClose} />;
    case 'change':
      return <WriteDialog template={asked.template} onClose={onClose} />;
    case 'use':
      return <UseDialog template={asked.template} onClose={onClose} />;
    case 'revisions':
      return <RevisionsDialog template={asked.template} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog template={asked.template} onClose={onClose} />;
  }
}

function DeleteDialog({ template: { id, name, revision }, onClose }: { template: Template; onClose: () => void }) {
  return (
    <VerbDialog
      title={`Delete “${name}”?`}
      lead={`For good, with its ${countOf(revision, 'revision')}.`}
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteTemplate({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      Campaigns that were made from it stay as they are.
    </VerbDialog>
  );
}

interface TemplateTableProps {
  templates: readonly Template[] | undefined;
  refusal: string | undefined;
  onAsk: (asked: Asked) => void;
}

function TemplateTable({ templates, refusal, onAsk }: TemplateTableProps) {
  const columns: readonly Column<Template>[] = [
    {
      header: 'Template',
      cell: (template) => (
        <>
          <div className="font-medium wrap-anywhere">{template.name}</div>
          {template.revision === 1 ? (
            <div className="t2 sm">revision 1</div>
          ) : (
            <button
              type="button"
              className="link sm phone:min-h-10"
              aria-label={`Revisions of ${template.name}`}
              onClick={() => onAsk({ verb: 'revisions', template })}
            >
              revision {template.revision}
            </button>
          )}
        </>
      ),
    },
    {
      header: 'Variables',
      hideBelow: 'phone',
      look: 't2 wrap-anywhere',
      cell: ({ variables }) => variablesInWords(variables),
    },
    { header: 'Changed', hideBelow: 'phone', cell: ({ updatedAt }) => <Time instant={updatedAt} /> },
    actionsColumn((template) => {
      const { name } = template;
      const ask = (verb: 'use' | 'change' | 'delete') => () => onAsk({ verb, template });
      return (
        <>
          <Button small refusal={refusal} label={`New campaign from ${name}`} onClick={ask('use')}>
            New campaign…
          </Button>
          <Button small refusal={refusal} label={`Change ${name}`} onClick={ask('change')}>
            Change…
          </Button>
          <Button small kind="bad" refusal={refusal} label={`Delete ${name}`} onClick={ask('delete')}>
            Delete…
          </Button>
        </>
      );
    }),
  ];
  return (
    <DataTable
      caption="Templates, newest first"
      className="table-auto"
      columns={columns}
      rows={templates}
      keyOf={({ id }) => id}
    />
  );
}
