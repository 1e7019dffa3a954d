/** Name of the endpoint that each client has: jobs without an endpoint go through it, and others follow its terms. */
export const defaultEndpoint = 'default';
