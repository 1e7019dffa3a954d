import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { listAudienceRejectsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { UploadedAudience, ListAudienceRejectsResponse } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { ListView } from '../data-table/list-view.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { plainText } from '../words/plain-text.ts';
import { ruleWords } from './reject-words.ts';

/** Number of rejected lines that the API keeps for each list. */
export const keptRejects = 1000;

type RejectedList = Pick<UploadedAudience, 'id' | 'name' | 'rejected'>;

/** A button such as `224 rejected lines`, which opens the rejected lines that the API keeps. */
export function RejectedLinesButton({ list, children }: { list: RejectedList; children?: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {children ?? countOf(list.rejected, 'rejected line')}
      </button>
      {/* Rendered outside of the surrounding line, whose colour and alignment the dialog would inherit. */}
      {isOpen && createPortal(<RejectedLinesDialog list={list} onClose={() => setOpen(false)} />, document.body)}
    </>
  );
}

function RejectedLinesDialog({ list, onClose }: { list: RejectedList; onClose: () => void }) {
  const { id, name, rejected } = list;
  const rejects = useQuery(listAudienceRejectsOptions({ path: { id }, query: { limit: keptRejects } }));
  return (
    <Dialog
      isWide
      title="Rejected lines"
      lead={`${name}: ${countOf(rejected, 'line')}${rejected > keptRejects ? `, of which the first ${formatCount(keptRejects)} are kept` : ''}`}
      onClose={onClose}
      actions={
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      }
    >
      <ListView what="The lines" query={rejects} items={rejects.data?.items} empty={null}>
        <DataTable
          caption="Rejected lines, in the order of the file"
          className="table-fixed [&>tbody]:text-sm"
          columns={columns}
          rows={rejects.data?.items}
          keyOf={({ line }) => line}
        />
      </ListView>
    </Dialog>
  );
}

const columns: readonly Column<ListAudienceRejectsResponse['items'][number]>[] = [
  { header: 'Line', width: 'w-19', look: 't3', cell: ({ line }) => formatCount(line) },
  { header: 'Why', cell: ({ rule }) => ruleWords[rule] },
  { header: 'Row', look: 't2 mono truncate', title: ({ value }) => value, cell: ({ value }) => plainText(value) },
];
