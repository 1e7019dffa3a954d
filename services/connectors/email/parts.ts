import type { FastifyInstance } from 'fastify';
import { createGuardedSockets } from '../../../shared/http-client/guarded-sockets.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Action } from '../actions/action.port.ts';
import type { Source } from '../databases/source.port.ts';
import type { ResultStore } from '../store/result-store.port.ts';
import { createDomainGate } from './domain-gate.ts';
import { addMailRoutes } from './http/mail-routes.ts';
import { createMusterApi } from './http/muster-api.ts';
import { createMailAction } from './mail-action.ts';
import { createMailDesk, type MailDesk } from './mail-desk.ts';
import { createMailReferences } from './mail-references.ts';
import type { MailActionSettings } from './mail-settings.ts';
import { createCallBook } from './postgres/call-book.ts';
import { createReportQueue } from './postgres/report-queue.ts';
import type { MailReport, MusterApiSettings } from './reports.port.ts';
import { createReportLoop } from './send-reports.ts';
import { createMailSender } from './smtp/mail-sender.ts';

export interface MailDeps {
  pool: Parameters<typeof createReportQueue>[0];
  results: ResultStore;
  sourceOf: (database: string) => Source;
  muster: MusterApiSettings;
  egress: Parameters<typeof createMusterApi>[1]['egress'];
  clock: Clock;
  meter: Meter;
  logger: Logger;
}

/** The e-mail actions of one process. */
export interface Mail {
  create(settings: MailActionSettings): Action;
  addRoutes(server: FastifyInstance): void;
  start(): void;
  /** Stops sending reports to Muster. Reports that Muster has not accepted yet stay stored. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const sweepEveryMs = 600_000;

export function createMail({
  pool,
  results,
  sourceOf,
  muster: settings,
  egress,
  clock,
  meter,
  logger,
}: MailDeps): Mail {
  const queue = createReportQueue(pool);
  const calls = createCallBook(pool);
  const muster = createMusterApi(settings, { egress, logger });
  const reporting = createReportLoop({ queue, muster, clock, logger });
  const reports = {
    add: async (added: readonly MailReport[]) => {
      if (added.length === 0) return;
      await queue.add(added);
      reporting.poke();
    },
  };
  const sweep = createLoop({
    name: 'sweep-mail-calls',
    turn: async () => {
      await calls.sweep();
      return sweepEveryMs;
    },
    afterErrorMs: sweepEveryMs,
    clock,
    logger,
  });
  const desks = new Map<string, MailDesk>();
  const closers: (() => void)[] = [];

  return {
    create: (settings) => {
      const source = sourceOf(settings.users.database);
      const references = createMailReferences(settings.secrets, settings.id);
      const sender = createMailSender(settings.smtp, createGuardedSockets(egress, `mails of ${settings.id}`));
      closers.push(() => sender.close());
      desks.set(settings.id, createMailDesk(settings, { source, references, reports, clock }));
      const gate = createDomainGate(settings.domains, clock);
      return createMailAction(settings, {
        source,
        references,
        sender,
        gate,
        results,
        calls,
        reports,
        clock,
        meter,
        logger,
      });
    },
    addRoutes: (server) => addMailRoutes(server, desks),
    start: () => {
      reporting.start();
      sweep.start();
    },
    stop: async () => {
      await Promise.all([reporting.stop(), sweep.stop()]);
    },
    close: async () => {
      for (const close of closers) close();
      await muster.close();
    },
  };
}
