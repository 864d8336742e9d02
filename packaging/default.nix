# For nixpkgs, where `src` becomes fetchzip of the release: pkgs.postgresql18Packages.callPackage ./packaging { }
# Nothing is fetched while it builds.
{
  lib,
  postgresqlBuildExtension,
  pkg-config,
  croaring,
  xxHash,
  src ? lib.cleanSource ../.,
}:

postgresqlBuildExtension {
  pname = "sketches";
  version = "1.0.0";
  inherit src;

  nativeBuildInputs = [ pkg-config ];
  buildInputs = [
    croaring
    xxHash
  ];
  makeFlags = [
    "CROARING=link"
    "V=1"
  ];

  meta = {
    description = "Compact sketch types for PostgreSQL, and rollups that stay up to date";
    homepage = "@REPOSITORY@";
    license = lib.licenses.postgresql;
    platforms = lib.platforms.unix;
  };
}
