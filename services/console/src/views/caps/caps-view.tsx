import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getCapsOptions } from '#client/@tanstack/react-query.gen.ts';
import { setCaps } from '#client/sdk.gen.ts';
import type { Cap, Caps } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { CampaignName } from '../../parts/campaign/campaign-name.tsx';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { CapDialog } from './cap-dialog.tsx';
import { describeCap, formatLimit, writtenOf } from './cap-form.ts';

interface OpenDialog {
  verb: 'edit' | 'remove';
  /** Index of the cap. For a new cap, the number of existing caps. */
  at: number;
}

/** View of the caps: how often a user gets something from action types, over all campaigns. */
export function CapsView() {
  const refusal = useRefusal('operator');
  const [dialog, setDialog] = useState<OpenDialog>();
  const query = useQuery(getCapsOptions());
  const caps = query.data?.caps;
  const close = () => setDialog(undefined);
  return (
    <Page
      title="Caps"
      actions={
        <Button
          kind="ink"
          icon="plus"
          refusal={refusal}
          disabled={caps === undefined}
          onClick={() => setDialog({ verb: 'edit', at: caps?.length ?? 0 })}
        >
          <span className="wide">New cap</span>
          <span className="narrow">New</span>
        </Button>
      }
    >
      <p className="t2 max-w-180">
        A cap limits what a user gets within some days, over all campaigns. Users at a cap are suppressed in the step. A
        user whose outcome is unknown counts, because the call may have been applied.
      </p>
      <section className="panel" aria-label="Caps">
        <ListView
          what="The caps"
          query={query}
          items={caps}
          empty={
            <Empty icon="twice" title="No caps yet">
              Users get whatever campaigns send. A cap sets a limit over all campaigns, such as at most 3 messages
              within 7 days.
            </Empty>
          }
        >
          <CapTable caps={caps} refusal={refusal} onOpen={setDialog} />
        </ListView>
        {query.data && query.data.caps.length > 0 && (
          <footer>
            {countOf(query.data.caps.length, 'cap')}
            {query.data.madeAt !== null && (
              <>
                {' '}
                · changed <Time instant={query.data.madeAt} />
              </>
            )}
          </footer>
        )}
      </section>
      {dialog?.verb === 'edit' && query.data && <CapDialog caps={query.data} at={dialog.at} onClose={close} />}
      {dialog?.verb === 'remove' && query.data && <RemoveDialog caps={query.data} at={dialog.at} onClose={close} />}
    </Page>
  );
}

function RemoveDialog({ caps: opened, at, onClose }: { caps: Caps; at: number; onClose: () => void }) {
  const [{ caps, revision }] = useState(opened);
  const cap = caps[at];
  return (
    <ConfirmDialog
      title={`Remove the cap ${cap?.name ?? ''}?`}
      lead={cap ? describeCap(cap) : ''}
      verb="Remove it"
      leave="Keep it"
      isGrave
      act={() =>
        setCaps({
          headers: { 'if-match': `"${revision}"` },
          body: { caps: caps.map(writtenOf).toSpliced(at, 1) },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      Campaigns call users without this limit from the next batch on. Suppressed users stay suppressed. If you set the
      cap again later, it does not count what users got before.
    </ConfirmDialog>
  );
}

interface CapTableProps {
  caps: readonly Cap[] | undefined;
  refusal: string | undefined;
  onOpen: (dialog: OpenDialog) => void;
}

function CapTable({ caps, refusal, onOpen }: CapTableProps) {
  const rows = caps?.map((cap, at) => ({ cap, at }));
  const columns: readonly Column<{ cap: Cap; at: number }>[] = [
    {
      header: 'Cap',
      cell: ({ cap }) => <div className="font-medium wrap-anywhere">{cap.name}</div>,
      below: ({ cap }) => (
        <>
          {cap.actionTypes.map(titleOf).join(', ')}
          <div className="narrow">
            {formatLimit(cap)} · {cap.countries?.join(', ') ?? 'all countries'}
          </div>
        </>
      ),
    },
    { header: 'A user gets', hideBelow: 'phone', cell: ({ cap }) => formatLimit(cap) },
    {
      header: 'Countries',
      hideBelow: 'phone',
      look: 'wrap-anywhere',
      cell: ({ cap }) => cap.countries?.join(', ') ?? <span className="t2">all</span>,
    },
    {
      header: 'Exempt',
      hideBelow: 'phone',
      look: 'wrap-anywhere',
      cell: ({ cap: { exempt = [] } }) =>
        exempt.length === 0 ? (
          <span className="t2">none</span>
        ) : (
          exempt.map((id) => (
            <div key={id}>
              <CampaignName id={id} />
            </div>
          ))
        ),
    },
    { header: 'Counts from', hideBelow: 'phone', cell: ({ cap }) => <Time instant={cap.countsFrom} withDay /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: ({ cap, at }) => <CapActions name={cap.name} refusal={refusal} onOpen={(verb) => onOpen({ verb, at })} />,
    },
  ];
  return (
    <DataTable
      caption="Caps"
      className="table-auto"
      columns={columns}
      rows={rows}
      keyOf={({ cap }) => cap.name}
      isTall
    />
  );
}

interface CapActionsProps {
  name: string;
  refusal: string | undefined;
  onOpen: (verb: OpenDialog['verb']) => void;
}

function CapActions({ name, refusal, onOpen }: CapActionsProps) {
  return (
    <>
      <span className="row justify-end flex-wrap wide">
        <Button small refusal={refusal} label={`Change ${name}`} onClick={() => onOpen('edit')}>
          Change…
        </Button>
        <Button small kind="bad" refusal={refusal} label={`Remove ${name}`} onClick={() => onOpen('remove')}>
          Remove…
        </Button>
      </span>
      {refusal === undefined && (
        <span className="narrow">
          <Menu
            target={(open) => (
              <button type="button" {...open} className="btn s icon" aria-label={`More about ${name}`}>
                <Icon name="more" size={14} />
              </button>
            )}
          >
            <MenuItem onClick={() => onOpen('edit')}>Change…</MenuItem>
            <MenuItem onClick={() => onOpen('remove')}>Remove…</MenuItem>
          </Menu>
        </span>
      )}
    </>
  );
}
