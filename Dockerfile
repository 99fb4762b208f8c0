# syntax=docker/dockerfile:1
FROM node:24.21.0-alpine AS build
WORKDIR /site
COPY package.json package-lock.json .npmrc ./
COPY packages/appsync-proxy/package.json packages/appsync-proxy/
COPY packages/cognito-session/package.json packages/cognito-session/
COPY packages/site-server/package.json packages/site-server/
COPY packages/upstream/package.json packages/upstream/
COPY tools/build/package.json tools/build/
# Only what the build needs: no test runner and none of the tools.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev
COPY . .
RUN npm run build

# The server bundle contains every package, so the image has no node_modules.
FROM node:24.21.0-alpine
WORKDIR /site
# With a small memory limit Node keeps only 1 MiB for new objects and collects garbage all the time. 16 MiB is its default
# with much memory.
ENV NODE_ENV=production PORT=3000 NODE_OPTIONS=--max-semi-space-size=16
COPY package.json ./
COPY --from=build /site/build build
# The assets of earlier builds. Mount a volume here so that pages which are open during a deployment keep working.
RUN mkdir build/kept && chown node build/kept
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and receives SIGTERM. npm would not pass the signal on.
CMD ["node", "build/server/server.js"]
