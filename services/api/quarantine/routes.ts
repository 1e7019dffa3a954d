import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { countRoute } from './counts.ts';
import { jobRoutes } from './jobs.ts';
import { messageRoutes } from './messages.ts';
import { stepRoutes } from './steps.ts';

export const tags = [
  {
    name: 'quarantine',
    description: 'Messages, steps and jobs quarantined after repeated failures, until a person decides',
  },
];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { quarantinedMessages: messages, quarantinedSteps: steps } = parts;
  countRoute(server, { ...parts, messages, steps });
  messageRoutes(server, { messages });
  stepRoutes(server, { ...parts, steps });
  jobRoutes(server, parts);
}
