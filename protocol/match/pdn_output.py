"""Games of a match as PDN."""
class PdnOutput:
    pass
