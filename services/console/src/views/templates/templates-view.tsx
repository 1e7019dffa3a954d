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
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { RevisionsDialog } from './revisions-dialog.tsx';
import { UseDialog } from './use-dialog.tsx';
import { formatVariables } from './variable-schema.ts';
import { WriteDialog } from './write-dialog.tsx';

const route = getRouteApi('/templates');
const pageSize = 50;

type OpenDialog = { verb: 'new' } | { verb: 'use' | 'change' | 'revisions' | 'delete'; template: Template };

/** View of the templates of campaigns, with their variables. */
export function TemplatesView() {
  const { text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('manager');
  const [dialog, setDialog] = useState<OpenDialog>();
  const query = { limit: pageSize, ...(text !== undefined && { q: text }), ...(cursor !== undefined && { cursor }) };
  const templates = useQuery({ ...listTemplatesOptions({ query }), placeholderData: keepPreviousData });
  const items = templates.data?.items;
  const newTemplate = (
    <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setDialog({ verb: 'new' })}>
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
                A template is a campaign with variables, such as a reward, a segment or a day. Create one with the
                button above. “New campaign…” then creates a draft from it, for which you choose only these values.
              </Empty>
            ) : (
              <NoMatch title="No template matches" onClear={() => void navigate({ search: {} })}>
                Name “{text}”.
              </NoMatch>
            )
          }
        >
          <TemplateTable templates={items} refusal={refusal} onOpen={setDialog} />
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
      {dialog && <TemplateDialog dialog={dialog} onClose={() => setDialog(undefined)} />}
    </Page>
  );
}

function TemplateDialog({ dialog, onClose }: { dialog: OpenDialog; onClose: () => void }) {
  switch (dialog.verb) {
    case 'new':
      return <WriteDialog template={null} onClose={onClose} />;
    case 'change':
      return <WriteDialog template={dialog.template} onClose={onClose} />;
    case 'use':
      return <UseDialog template={dialog.template} onClose={onClose} />;
    case 'revisions':
      return <RevisionsDialog template={dialog.template} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog template={dialog.template} onClose={onClose} />;
  }
}

function DeleteDialog({ template: { id, name, revision }, onClose }: { template: Template; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      lead={`Permanently, with its ${countOf(revision, 'revision')}.`}
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteTemplate({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      Campaigns created from it do not change.
    </ConfirmDialog>
  );
}

interface TemplateTableProps {
  templates: readonly Template[] | undefined;
  refusal: string | undefined;
  onOpen: (dialog: OpenDialog) => void;
}

function TemplateTable({ templates, refusal, onOpen }: TemplateTableProps) {
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
              onClick={() => onOpen({ verb: 'revisions', template })}
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
      cell: ({ variables }) => formatVariables(variables),
    },
    { header: 'Changed', hideBelow: 'phone', cell: ({ updatedAt }) => <Time instant={updatedAt} /> },
    actionsColumn((template) => {
      const { name } = template;
      const open = (verb: 'use' | 'change' | 'delete') => () => onOpen({ verb, template });
      return (
        <>
          <Button small refusal={refusal} label={`New campaign from ${name}`} onClick={open('use')}>
            New campaign…
          </Button>
          <Button small refusal={refusal} label={`Change ${name}`} onClick={open('change')}>
            Change…
          </Button>
          <Button small kind="bad" refusal={refusal} label={`Delete ${name}`} onClick={open('delete')}>
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
