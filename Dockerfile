# PostgreSQL with the extension; the target `demo` runs `make demo` instead of a server.
#
#   docker build -t postgres-sketches .
#   docker build --target demo -t sketches-demo . && docker run --rm sketches-demo
#
# POSTGRES is a tag of the official image that is based on Debian. What building takes stays in the first stages:
# the image is that of PostgreSQL and a library that needs nothing of a package: CRoaring is compiled in, or beside it.
# doc/tested.md says what was tried.

ARG POSTGRES=18

FROM postgres:${POSTGRES} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends make
WORKDIR /sketches
COPY . .
ENV PG_CONFIG=/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config
# A library of the system would not be in the image.
ENV CROARING=private
RUN make deps
RUN make && make install DESTDIR=/installed

FROM build AS demo
RUN chown -R postgres /sketches
USER postgres
CMD ["make", "demo"]

FROM postgres:${POSTGRES}
COPY --from=build /installed/ /
